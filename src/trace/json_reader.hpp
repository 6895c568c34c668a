// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/direct_row.hpp"
#include "trace/format.hpp"
#include "trace/json_layout.hpp"
#include "trace/json_picker.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay {

/// From the text of an object to a row; what the readers of JSON share.
class JsonRecords {
 public:
  /// With `one_line`, records do not extend over several lines.
  JsonRecords(const ReadPlan& plan, bool one_line);

  /// Where a record stands: its line within the block, and how many bytes of that line come before.
  struct Place {
    std::uint64_t line = 1;
    std::uint64_t before = 0;
  };

  /// Reads the object at `at` by the layout of an earlier one and returns its end. Null when that
  /// cannot be, and nothing was done; `ends` says whether the record may end at a place.
  template <class Ends>
  const char* read_repeated(const char* at, const char* end, Place place, RowBatch& batch,
                            const Ends& ends) {
    if (!layout_.known()) return nullptr;
    const bool for_cells = !direct_slots_;
    const char* const stop = layout_.match(at, end, one_line_, for_cells);
    if (stop == nullptr || !ends(stop)) {
      if (++misses_ > kMissesInARow) layout_.forget();
      return nullptr;
    }
    misses_ = 0;
    if (for_cells || !add_directly(batch)) [[unlikely]] {
      if (!for_cells) layout_.match(at, end, one_line_, true);
      layout_.fill(cells_);
      add_cells({at, static_cast<std::size_t>(stop - at)}, place, batch);
    }
    return stop;
  }

  /// Reads the record, whatever it is.
  void read(std::string_view record, Place place, RowBatch& batch);

 private:
  static constexpr unsigned kMissesInARow = 4;
  static constexpr unsigned kRestAfterMisses = 64;

  /// The values of the layout that a direct row is made of; any for those that it ignores.
  struct DirectSlots {
    std::size_t time = 0;
    std::size_t key = 0;
    std::size_t cost = 0;
  };

  [[nodiscard]] bool is_request(std::string_view record) const;
  /// Adds cells_.
  void add_cells(std::string_view record, Place place, RowBatch& batch);
  /// False when the object that matched last is no direct row.
  [[nodiscard]] bool add_directly(RowBatch& batch) const {
    // A list or a word is no time and no cost either way.
    return layout_.is_string_or_number(direct_slots_->key) &&
           direct_->add(layout_.text(direct_slots_->time), layout_.text(direct_slots_->key),
                        layout_.text(direct_slots_->cost), batch);
  }
  void find_direct_slots();

  bool one_line_;
  JsonPicker picker_;
  JsonLayout layout_;
  std::optional<RequestObject> request_;
  std::optional<DirectRow> direct_;
  std::optional<DirectSlots> direct_slots_;  // of layout_
  RowBuilder builder_;
  std::vector<Cell> cells_;
  unsigned misses_ = 0;
};

/// One object a line.
class NdjsonReader final : public BlockReader {
 public:
  explicit NdjsonReader(const ReadPlan& plan) : records_(plan, true) {}
  void read(const Block& block, RowBatch& batch) override;

 private:
  JsonRecords records_;
};

/// The elements of a list.
class JsonListReader final : public BlockReader {
 public:
  explicit JsonListReader(const ReadPlan& plan) : records_(plan, false) {}
  void read(const Block& block, RowBatch& batch) override;
  [[nodiscard]] std::vector<std::string_view> records(const Block& block,
                                                      std::span<const BadRowPlace> places) override;

 private:
  JsonRecords records_;
};

}  // namespace ratereplay
