// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/address.hpp"
#include "trace/cell.hpp"
#include "trace/elapsed.hpp"
#include "trace/plan.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {

/// From the wanted cells of a record to a row: reads the time, composes the key, sums the cost, and
/// counts what fails with the place of the cell at fault. The same for every format.
class RowBuilder {
 public:
  explicit RowBuilder(const ReadPlan& plan);

  /// `cells[i]` is the field plan.wanted[i]; `line` is that of the record's start, 1-based within
  /// the block.
  void build(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch) {
    // Most plans: one time, at most one key that stays as it is, cost 1, every row kept.
    if (plain_) [[likely]] {
      const Cell& time = cells[time_];
      const std::string_view key = keyed_ ? cells[key_].text : one_key();
      const bool has_key = !keyed_ || (cells[key_].kind >= CellKind::kText && key.size() > 1 &&
                                       (!address_ || is_plain_address(key)));
      Instant at{};
      if (has_key && time.kind >= CellKind::kText && reader_.read(time.text, at)) [[likely]] {
        batch.add(at, key, 1);
        if (zoned_) note_repeated(batch);
        return;
      }
    }
    build_any(cells, line, batch);
  }

  /// The key of every row where there is one key for all, with the bytes behind it that
  /// RowBatch::add may read.
  [[nodiscard]] static std::string_view one_key() noexcept;

 private:
  /// Counts the stamps read since the last call that the clock of the zone showed twice.
  void note_repeated(RowBatch& batch) { batch.note_repeated_hour(reader_.take_repeated()); }
  void build_any(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch);
  [[nodiscard]] bool read_time(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch,
                               Instant& at);
  /// From the end of the request to its start.
  [[nodiscard]] bool take_off_duration(std::span<const Cell> cells, std::uint64_t line,
                                       RowBatch& batch, Instant& at) const;
  [[nodiscard]] bool read_cost(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch,
                               Cost& cost) const;
  /// `missing` tells whether a part of the key is missing.
  [[nodiscard]] bool read_key(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch,
                              std::string_view& key, bool& missing);
  /// Lives until the batch is cleared; the key `-` where there is no text.
  [[nodiscard]] std::string_view read_part(const KeyPart& part, const Cell& cell, RowBatch& batch);

  TimeReader reader_;
  std::vector<std::size_t> times_;
  std::vector<KeyPart> keys_;
  std::vector<std::size_t> costs_;
  std::optional<DurationField> duration_;
  RowFilter filter_;
  std::vector<std::string_view> parts_;
  std::string buffer_;
  MissingKey missing_;
  bool zoned_;
  bool dash_is_zero_;
  bool plain_;
  bool keyed_;
  bool address_;
  std::size_t time_;
  std::size_t key_;
};

}  // namespace ratereplay
