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

 private:
  char delimiter_;
};

/// Tables with one delimiter: csv takes commas, semicolons and bars, tsv tabs. What is a record,
/// and what quotes do, is told in delimited_scan.hpp.
class DelimitedFormat final : public Format {
 public:
  enum class Kind : std::uint8_t { kCsv, kTsv };
  explicit DelimitedFormat(Kind kind) : kind_(kind) {}

  [[nodiscard]] std::string_view name() const override;
  [[nodiscard]] std::string_view summary() const override;
  [[nodiscard]] Recognition recognise(const Sample& sample) const override;
  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout& layout) const override;
  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout& layout) const override;
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override;

 private:
  Kind kind_;
};

}  // namespace ratereplay
