// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "keys/row_batch.hpp"
#include "trace/delimited_window.hpp"
#include "trace/lines.hpp"

namespace ratereplay {

bool is_header(const std::vector<DelimitedScanner::Field>& fields, const Layout& layout) {
  if (!layout.header || fields.size() != layout.names.size()) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool same = fields[i].doubled ? name_of(fields[i]) == layout.names[i]
                                        : trim_blanks(fields[i].text) == layout.names[i];
    if (!same) return false;
  }
  return true;
}

std::string name_of(const DelimitedScanner::Field& field) {
  std::string text(field.text);
  if (field.doubled) text.resize(undouble_quotes(field.text, text.data()));
  return std::string(trim_blanks(text));
}

/// Finds the fields of common lines: without quotes, and with as many fields as the layout.
class DelimitedReader::LineSplitter {
 public:
  /// `places` has room for an offset a field and a window.
  LineSplitter(const Layout& layout, std::uint32_t* places)
      : finder_(layout.delimiter), places_(places), last_(places + layout.names.size()) {
    // One before the line.
    places_[0] = static_cast<std::uint32_t>(-1);
  }

  /// The line feed that ends `line`; null when the line is not of the common kind.
  [[nodiscard]] const char* split(const char* line, const char* end) const noexcept {
    std::uint32_t* place = places_ + 1;
    std::uint32_t offset = 0;
    const auto take = [&](std::uint32_t delimiters) {
      for (; delimiters != 0; delimiters &= delimiters - 1) {
        *place++ = offset + static_cast<std::uint32_t>(std::countr_zero(delimiters));
      }
    };
    DelimitedWindow window = finder_.at(line);
    while (window.stops == 0) [[unlikely]] {
      take(window.delimiters);
      offset += DelimitedWindow::kBytes;
      if (place > last_ || line + offset >= end || offset >= kMaxRecordBytes) return nullptr;
      window = finder_.at(line + offset);
    }
    const auto stop = static_cast<std::uint32_t>(std::countr_zero(window.stops));
    take(window.delimiters & ~(~std::uint32_t{0} << stop));
    const char* const feed = line + offset + stop;
    if (place != last_ || *feed != '\n' || feed >= end || feed - line <= 1) return nullptr;
    *place = offset + stop - (feed[-1] == '\r' ? 1 : 0);
    return feed;
  }

  /// Of the line that was split last.
  [[nodiscard]] std::string_view field(const char* line, std::size_t column) const noexcept {
    const std::uint32_t from = places_[column] + 1;
    return {line + from, places_[column + 1] - from};
  }

 private:
  WindowFinder finder_;
  std::uint32_t* places_;  // of the byte before each field, and of the one behind the last
  std::uint32_t* last_;    // the latter
};

DelimitedReader::DelimitedReader(const ReadPlan& plan)
    : layout_(plan.layout),
      count_(plan.layout),
      scanner_(plan.layout.delimiter),
      direct_(DirectRow::of(plan)),
      builder_(plan),
      cells_(plan.wanted.size()),
      places_(plan.layout.names.size() + 1 + DelimitedWindow::kBytes) {
  for (const WantedField& wanted : plan.wanted) {
    columns_.push_back(wanted.column.value_or(DirectRow::kAbsent));
  }
  const bool all_known = std::ranges::all_of(
      columns_, [this](std::size_t column) { return column < layout_.names.size(); });
  if (!all_known) direct_.reset();
  if (direct_) {
    const auto column = [this](std::size_t wanted) {
      return wanted == DirectRow::kAbsent ? 0 : columns_[wanted];
    };
    direct_columns_ = {column(direct_->time()), column(direct_->key()), column(direct_->cost())};
  }
  const auto uncommon = [this](char first) {
    starts_uncommonly_[static_cast<unsigned char>(first)] = true;
  };
  for (const char first : {'#', ' ', '\t', DelimitedScanner::kByteOrderMark.front()}) {
    uncommon(first);
  }
  // A line that starts so may be the header.
  if (layout_.header) {
    const std::string& name = layout_.names.front();
    uncommon(name.empty() ? layout_.delimiter : name.front());
  }
}

void DelimitedReader::read(const Block& block, RowBatch& batch) {
  const Columns columns = direct_columns_;
  const char* line = block.text.data();
  const char* const end = line + block.text.size();
  const LineSplitter splitter(layout_, places_.data());
  line_ = 1;
  while (line < end) {
    const char* feed = nullptr;
    if (!starts_uncommonly_[static_cast<unsigned char>(*line)]) feed = splitter.split(line, end);
    if (feed == nullptr) [[unlikely]] {
      line += read_slowly({line, static_cast<std::size_t>(end - line)}, batch);
      continue;
    }
    if (!direct_ ||
        !direct_->add(splitter.field(line, columns.time), splitter.field(line, columns.key),
                      splitter.field(line, columns.cost), batch)) [[unlikely]] {
      build_row(line, splitter, batch);
    }
    line = feed + 1;
    ++line_;
  }
  const bool unended = !block.text.empty() && block.text.back() != '\n';
  batch.set_lines(line_ - 1 - (unended ? 1 : 0));
}

std::vector<std::string_view> DelimitedReader::records(const Block& block,
                                                       std::span<const BadRowPlace> places) {
  return records_at(block, places, [this](std::string_view text) {
    scanner_.scan(text, true);
    return scanner_.size();
  });
}

void DelimitedReader::build_row(const char* line, const LineSplitter& splitter, RowBatch& batch) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (columns_[i] >= layout_.names.size()) {
      cells_[i] = Cell{};
      continue;
    }
    const std::string_view found = splitter.field(line, columns_[i]);
    const auto offset = static_cast<std::uint32_t>(found.data() - line);
    cells_[i] = {found, CellKind::kText, offset + 1};
  }
  builder_.build(cells_, line_, batch);
}

std::size_t DelimitedReader::read_slowly(std::string_view text, RowBatch& batch) {
  // A block ends with a record, so that nothing in it is open.
  const DelimitedScanner::Found found = scanner_.scan(text, true);
  const std::size_t size = scanner_.size();
  if (size > kMaxRecordBytes) {
    batch.add_bad(BadKind::kLength, line_, 1, too_long);
  } else if (found == DelimitedScanner::Found::kBad) {
    batch.add_bad(BadKind::kQuote, line_, scanner_.bad_offset() + 1,
                  [this] { return std::string(scanner_.bad_reason()); });
  } else if (found == DelimitedScanner::Found::kRecord) {
    read_record(batch);
  }
  const std::string_view record = text.substr(0, size);
  line_ += static_cast<std::uint64_t>(std::count(record.begin(), record.end(), '\n'));
  if (record.back() != '\n') ++line_;
  return size;
}

void DelimitedReader::read_record(RowBatch& batch) {
  const std::vector<DelimitedScanner::Field>& fields = scanner_.fields();
  if (is_header(fields, layout_)) return;
  if (!count_.fits(fields)) {
    const bool more = fields.size() > count_.most;
    const std::size_t at = more ? fields[count_.most].offset : fields.back().offset;
    batch.add_bad(BadKind::kColumns, line_, at + 1, [&] {
      return fmt::format("{} field{} where the {} {}", fields.size(), fields.size() == 1 ? "" : "s",
                         layout_.header ? "header has" : "other rows have", count_.most);
    });
    return;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (columns_[i] >= fields.size()) {
      cells_[i] = Cell{};
      continue;
    }
    const DelimitedScanner::Field& field = fields[columns_[i]];
    std::string_view text = field.text;
    if (field.doubled) {
      char* const place = batch.scratch(text.size());
      text = {place, undouble_quotes(text, place)};
    }
    cells_[i] = {text, CellKind::kText, field.offset + 1};
  }
  builder_.build(cells_, line_, batch);
}

}  // namespace ratereplay
