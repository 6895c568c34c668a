// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/cell.hpp"
#include "trace/delimited_scan.hpp"
#include "trace/direct_row.hpp"
#include "trace/format.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay {

/// How many fields a record may have: as many as the layout, one less when the header's last name
/// is empty, one more when the record's own last field is.
struct FieldCount {
  std::size_t most = 0;
  std::size_t least = 0;

  explicit FieldCount(const Layout& layout)
      : most(layout.names.size()),
        least(layout.header && most > 1 && layout.names.back().empty() ? most - 1 : most) {}
  [[nodiscard]] bool fits(const std::vector<DelimitedScanner::Field>& fields) const {
    if (fields.size() == most + 1) return fields.back().text.empty();
    return fields.size() <= most && fields.size() >= least;
  }
};

/// The text of a header's field, as Layout::names has it.
std::string name_of(const DelimitedScanner::Field& field);

/// True when the record is the header (again).
bool is_header(const std::vector<DelimitedScanner::Field>& fields, const Layout& layout);

/// Reads tables. Lines without quotes and with the right number of fields take a short way, 32
/// bytes at a time; the others are left to DelimitedScanner.
class DelimitedReader final : public BlockReader {
 public:
  explicit DelimitedReader(const ReadPlan& plan);
  void read(const Block& block, RowBatch& batch) override;
  [[nodiscard]] std::vector<std::string_view> records(const Block& block,
                                                      std::span<const BadRowPlace> places) override;

 private:
  /// Of the fields that a direct row takes; 0 for those that it ignores.
  struct Columns {
    std::size_t time = 0;
    std::size_t key = 0;
    std::size_t cost = 0;
  };

  class LineSplitter;
  void build_row(const char* line, const LineSplitter& splitter, RowBatch& batch);
  std::size_t read_slowly(std::string_view text, RowBatch& batch);
  void read_record(RowBatch& batch);

  Layout layout_;
  FieldCount count_;
  std::vector<std::size_t> columns_;  // of the wanted fields; kAbsent = the layout has none such
  DelimitedScanner scanner_;
  std::optional<DirectRow> direct_;
  RowBuilder builder_;
  std::vector<Cell> cells_;
  Columns direct_columns_;
  std::array<bool, 256> starts_uncommonly_{};  // by a line's first byte
  std::uint64_t line_ = 1;
  std::vector<std::uint32_t> places_;  // LineSplitter's
};

}  // namespace ratereplay
