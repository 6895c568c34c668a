// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited.hpp"

#include <cstring>
#include <string>
#include <unordered_set>

#include "trace/delimited_reader.hpp"
#include "trace/delimited_scan.hpp"
#include "trace/delimited_sniff.hpp"

namespace ratereplay {

namespace {

class DelimitedFormat final : public Format {
 public:
  enum class Kind : std::uint8_t { kCsv, kTsv };
  explicit DelimitedFormat(Kind kind) : kind_(kind) {}

  [[nodiscard]] std::string_view name() const override {
    return kind_ == Kind::kCsv ? "csv" : "tsv";
  }
  [[nodiscard]] std::string_view summary() const override {
    return kind_ == Kind::kCsv ? "a table with commas, semicolons or bars, with a header or without"
                               : "a table with tabs, with a header or without";
  }
  [[nodiscard]] bool line_by_line() const override { return false; }
  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    return kind_ == Kind::kCsv ? recognise_table(sample, ",;|", "\t")
                               : recognise_table(sample, "\t", "");
  }
  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout& layout) const override;
  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout& layout) const override {
    return std::make_unique<DelimitedCutter>(layout.delimiter);
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<DelimitedReader>(plan);
  }

 private:
  Kind kind_;
};

/// A name for each column that stands for it alone, so that flags can tell it: its number where an
/// earlier one has the name, with zeros before it where that is a name too.
std::vector<std::string> own_names(const std::vector<std::string>& names) {
  const std::unordered_set<std::string_view> all(names.begin(), names.end());
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> own;
  for (const std::string& name : names) {
    std::string text = name;
    if (!seen.insert(name).second) {
      text = std::to_string(own.size() + 1);
      while (all.contains(text)) text.insert(0, 1, '0');
    }
    own.push_back(std::move(text));
  }
  return own;
}

SampleTable DelimitedFormat::tabulate(const Sample& sample, const Layout& layout) const {
  SampleTable table;
  for (std::string& name : own_names(layout.names)) table.fields.push_back({std::move(name), {}});
  const FieldCount count(layout);
  DelimitedScanner scanner(layout.delimiter);
  std::string_view text = sample.text;
  while (!text.empty()) {
    const DelimitedScanner::Found found = scanner.scan(text, true);
    text.remove_prefix(scanner.size());
    const std::vector<DelimitedScanner::Field>& fields = scanner.fields();
    if (found != DelimitedScanner::Found::kRecord || is_header(fields, layout)) continue;
    if (!count.fits(fields)) continue;
    ++table.records;
    for (std::size_t i = 0; i < table.fields.size(); ++i) {
      Cell cell;
      if (i < fields.size()) {
        cell = {fields[i].text, CellKind::kText, fields[i].offset + 1};
        if (fields[i].doubled) {
          char* const place = table.room(cell.text.size());
          cell.text = {place, undouble_quotes(cell.text, place)};
        }
      }
      table.fields[i].cells.push_back(cell);
    }
  }
  return table;
}

}  // namespace

std::size_t DelimitedCutter::cut(std::string_view text, bool last) {
  if (last) return text.size();
  DelimitedScanner scanner(delimiter_);
  std::size_t at = 0;  // a record starts here
  while (at < text.size()) {
    const std::size_t quote = text.find('"', at);
    const std::size_t feed = text.substr(0, quote).rfind('\n');
    // Lines without quotes are records.
    if (feed != std::string_view::npos && feed >= at) at = feed + 1;
    if (quote == std::string_view::npos) break;
    if (scanner.scan(text.substr(at), false) == DelimitedScanner::Found::kOpen) break;
    at += scanner.size();
  }
  return at;
}

const Format& csv_format() {
  static const DelimitedFormat format(DelimitedFormat::Kind::kCsv);
  return format;
}

const Format& tsv_format() {
  static const DelimitedFormat format(DelimitedFormat::Kind::kTsv);
  return format;
}

}  // namespace ratereplay
