// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "keys/row_batch.hpp"
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

DelimitedReader::DelimitedReader(const ReadPlan& plan)
    : layout_(plan.layout),
      count_(plan.layout),
      scanner_(plan.layout.delimiter),
      direct_(DirectRow::of(plan)),
      builder_(plan),
      cells_(plan.wanted.size()) {
  for (const WantedField& wanted : plan.wanted) {
    columns_.push_back(wanted.column.value_or(DirectRow::kAbsent));
  }
  const bool all_known = std::ranges::all_of(
      columns_, [this](std::size_t column) { return column < layout_.names.size(); });
  if (!all_known) direct_.reset();
  if (direct_) {
    const auto column = [this](std::size_t wanted) {
      return wanted == DirectRow::kAbsent ? 0 : static_cast<std::ptrdiff_t>(columns_[wanted]);
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
  line_ = 1;
  std::string_view text = block.text;
  while (!text.empty()) {
    std::size_t taken = read_chunk(text, std::min(text.size(), kIndexBytes), batch);
    // No whole line of the common kind in the chunk.
    if (taken == 0) taken = read_slowly(text, batch);
    text.remove_prefix(taken);
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

std::size_t DelimitedReader::read_chunk(std::string_view text, std::size_t size, RowBatch& batch) {
  // place[-1] is the line feed before the row; before the first row it is one before the text.
  places_[0] = static_cast<std::uint16_t>(-1);
  const std::uint16_t* place = places_.data() + 1;
  const std::uint16_t* const end =
      place + index_specials(text.data(), size, layout_.delimiter, places_.data() + 1);
  const auto width = static_cast<std::ptrdiff_t>(layout_.names.size());
  const char delimiter = layout_.delimiter;
  const char* const bytes = text.data();
  const Columns columns = direct_columns_;
  std::size_t start = 0;
  std::uint64_t line = line_;
  while (end - place >= width) {
    const std::size_t feed = place[width - 1];
    bool common = bytes[feed] == '\n';
    for (std::ptrdiff_t i = 0; i + 1 < width; ++i) common &= bytes[place[i]] == delimiter;
    common &= !starts_uncommonly_[static_cast<unsigned char>(bytes[start])] && feed - start > 1;
    if (!common) [[unlikely]] {
      line_ = line;
      start += read_slowly(text.substr(start), batch);
      line = line_;
      if (start >= size) break;
      while (place < end && *place < start) ++place;
      continue;
    }
    const std::size_t line_end = feed - (bytes[feed - 1] == '\r' ? 1 : 0);
    const auto field = [&](std::ptrdiff_t column) {
      const std::size_t from = static_cast<std::uint16_t>(place[column - 1] + 1);
      const std::size_t to = column + 1 == width ? line_end : place[column];
      return std::string_view(bytes + from, to - from);
    };
    if (!direct_ || !direct_->add(field(columns.time), field(columns.key), field(columns.cost),
                                  batch)) [[unlikely]] {
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (columns_[i] >= layout_.names.size()) {
          cells_[i] = Cell{};
          continue;
        }
        const std::string_view found = field(static_cast<std::ptrdiff_t>(columns_[i]));
        const auto offset = static_cast<std::size_t>(found.data() - bytes) - start;
        cells_[i] = {found, CellKind::kText, static_cast<std::uint32_t>(offset + 1)};
      }
      builder_.build(cells_, line, batch);
    }
    start = feed + 1;
    place += width;
    ++line;
  }
  line_ = line;
  return start;
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
      return fmt::format("{} fields where the {} {}", fields.size(),
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
