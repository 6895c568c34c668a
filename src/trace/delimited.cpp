// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited.hpp"

#include <cstring>

#include "trace/delimited_reader.hpp"
#include "trace/delimited_scan.hpp"
#include "trace/delimited_sniff.hpp"

namespace ratereplay {

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

std::string_view DelimitedFormat::name() const { return kind_ == Kind::kCsv ? "csv" : "tsv"; }

std::string_view DelimitedFormat::summary() const {
  return kind_ == Kind::kCsv ? "a table with commas, semicolons or bars; with or without a header"
                             : "a table with tabs; with or without a header";
}

Recognition DelimitedFormat::recognise(const Sample& sample) const {
  return kind_ == Kind::kCsv ? recognise_table(sample, ",;|", "\t")
                             : recognise_table(sample, "\t", "");
}

SampleTable DelimitedFormat::tabulate(const Sample& sample, const Layout& layout) const {
  SampleTable table;
  for (const std::string& name : layout.names) table.fields.push_back({name, {}});
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
          table.storage.push_back(std::make_unique<char[]>(cell.text.size() + 16));
          char* const place = table.storage.back().get();
          cell.text = {place, undouble_quotes(cell.text, place)};
        }
      }
      table.fields[i].cells.push_back(cell);
    }
  }
  return table;
}

std::unique_ptr<RecordCutter> DelimitedFormat::cutter(const Layout& layout) const {
  return std::make_unique<DelimitedCutter>(layout.delimiter);
}

std::unique_ptr<BlockReader> DelimitedFormat::reader(const ReadPlan& plan) const {
  return std::make_unique<DelimitedReader>(plan);
}

}  // namespace ratereplay
