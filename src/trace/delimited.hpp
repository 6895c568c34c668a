// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// Cuts tables, whose records may span lines inside quotes.
class DelimitedCutter final : public RecordCutter {
 public:
  explicit DelimitedCutter(char delimiter) : delimiter_(delimiter) {}
  std::size_t cut(std::string_view text, bool last) override;
  /// The quote that is open may be a stray one: the lines below it are rows of their own.
  std::size_t cut_before_loss(std::string_view text) override { return text.rfind('\n') + 1; }

 private:
  char delimiter_;
};

/// Tables: csv takes commas, semicolons and bars, tsv tabs. What is a record, and what quotes do,
/// is told in delimited_scan.hpp.
[[nodiscard]] const Format& csv_format();
[[nodiscard]] const Format& tsv_format();

}  // namespace ratereplay
