// SPDX-License-Identifier: Apache-2.0
#include "trace/headered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/lines.hpp"
#include "trace/row_builder.hpp"
#include "trace/table_header.hpp"

namespace ratereplay {
namespace {

using Field = TableHeader::Field;

constexpr std::string_view kW3cDelimiters = " \t,";

// With the bytes behind it that a cell may be read into.
constexpr std::array<char, 32> kUnsetBytes = {'-'};

/// The field as a cell: what stands for no value is `-`, as in other logs. Texts with doubled
/// quotes are written anew to a place that `room(size)` gives.
template <class Room>
Cell cell_of(const Field& field, const TableHeader& header, const Room& room) {
  Cell cell{field.text, CellKind::kText, field.offset + 1};
  if (field.doubled) {
    char* const place = room(field.text.size());
    cell.text = {place, undouble_quotes(field.text, place)};
  }
  if (field.text == header.unset()) cell.text = {kUnsetBytes.data(), 1};
  if (field.text == header.empty()) cell.text = field.text.substr(0, 0);
  return cell;
}

/// The date that the header gives to a row without one.
template <class Room>
Cell date_cell(const std::vector<Field>& fields, const TableHeader& header, const Room& room) {
  const Field& time = fields[*header.time_column()];
  const std::string_view date = header.date_of(time.text);
  char* const place = room(date.size());
  std::memcpy(place, date.data(), date.size());
  return {{place, date.size()}, CellKind::kText, time.offset + 1};
}

class HeaderedReader final : public BlockReader {
 public:
  HeaderedReader(HeaderedKind kind, const ReadPlan& plan)
      : header_(kind, plan.layout.delimiter), builder_(plan), cells_(plan.wanted.size()) {
    for (const WantedField& wanted : plan.wanted) wanted_.push_back(wanted.name);
    columns_.resize(wanted_.size());
  }

  void read(const Block& block, RowBatch& batch) override {
    header_.restart(block.header == nullptr ? std::string_view() : *block.header);
    find_columns();
    read_lines(block, batch, [&](std::string_view record, std::uint64_t line, std::uint32_t) {
      if (record.starts_with('#')) {
        if (header_.apply(record)) find_columns();
      } else if (!is_blank(record)) {
        read_row(record, line, batch);
      }
    });
  }

 private:
  void find_columns() {
    const std::vector<std::string>& names = header_.names();
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      columns_[i] = static_cast<std::size_t>(std::ranges::find(names, wanted_[i]) - names.begin());
    }
  }

  void read_row(std::string_view record, std::uint64_t line, RowBatch& batch) {
    const std::size_t width = header_.width();
    if (width == 0) {
      batch.add_bad(BadKind::kColumns, line, 1,
                    [] { return std::string("no header line before it names the columns"); });
      return;
    }
    header_.split(record, fields_);
    if (fields_.size() != width) {
      const Field& at = fields_[std::min(width, fields_.size() - 1)];
      batch.add_bad(BadKind::kColumns, line, at.offset + 1, [&] {
        return fmt::format("{} fields where the header names {}", fields_.size(), width);
      });
      return;
    }
    const auto room = [&batch](std::size_t size) { return batch.scratch(size); };
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (columns_[i] < width) {
        cells_[i] = cell_of(fields_[columns_[i]], header_, room);
      } else if (columns_[i] < header_.names().size()) {
        cells_[i] = date_cell(fields_, header_, room);
      } else {
        cells_[i] = Cell{};
      }
    }
    builder_.build(cells_, line, batch);
  }

  TableHeader header_;
  RowBuilder builder_;
  std::vector<std::string> wanted_;
  std::vector<std::size_t> columns_;  // of the wanted fields under the header in force
  std::vector<Field> fields_;
  std::vector<Cell> cells_;
};

class HeaderedFormat final : public Format {
 public:
  explicit HeaderedFormat(HeaderedKind kind) : kind_(kind) {}

  [[nodiscard]] std::string_view name() const override {
    return kind_ == HeaderedKind::kW3c ? "w3c" : "zeek";
  }
  [[nodiscard]] std::string_view summary() const override {
    return kind_ == HeaderedKind::kW3c ? "a W3C extended log: IIS, CloudFront"
                                       : "a Zeek log of text";
  }
  [[nodiscard]] std::string_view default_key() const override { return "ip"; }
  [[nodiscard]] bool line_by_line() const override { return false; }

  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    if (kind_ == HeaderedKind::kZeek) return judge(sample, '\t');
    Recognition best;
    for (const char delimiter : kW3cDelimiters) {
      Recognition found = judge(sample, delimiter);
      if (found.score > best.score) best = std::move(found);
    }
    return best;
  }

  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout& layout) const override {
    SampleTable table;
    for (const std::string& name : layout.names) table.fields.push_back({name, {}});
    const auto room = [&table](std::size_t size) { return table.room(size); };
    std::unordered_map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < layout.names.size(); ++i) index.emplace(layout.names[i], i);
    each_row(sample, layout.delimiter, [&](const TableHeader& header, std::vector<Field>& fields) {
      if (fields.size() != header.width()) return;
      for (std::size_t column = 0; column < header.names().size(); ++column) {
        std::vector<Cell>& cells = table.fields[index.at(header.names()[column])].cells;
        if (cells.size() > table.records) continue;  // a name twice: the first counts
        cells.resize(table.records);
        cells.push_back(column < fields.size() ? cell_of(fields[column], header, room)
                                               : date_cell(fields, header, room));
      }
      ++table.records;
    });
    for (SampleTable::Field& field : table.fields) field.cells.resize(table.records);
    return table;
  }

  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<HeaderedCutter>();
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<HeaderedReader>(kind_, plan);
  }

 private:
  /// Calls use(header in force, fields) for every row behind a header; counts the rows before one.
  template <class Use>
  std::size_t each_row(const Sample& sample, char delimiter, const Use& use) const {
    TableHeader header(kind_, delimiter);
    std::vector<Field> fields;
    std::size_t early = 0;
    std::string_view text = sample.text;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (line.starts_with('#')) {
        header.apply(line);
      } else if (!is_blank(line)) {
        if (header.width() == 0) {
          ++early;
          continue;
        }
        header.split(line, fields);
        use(header, fields);
      }
    }
    return early;
  }

  [[nodiscard]] Recognition judge(const Sample& sample, char delimiter) const {
    Recognition found;
    Layout& layout = found.layout;
    layout.delimiter = delimiter;
    layout.header = true;
    std::unordered_set<std::string> known;
    TableHeader header(kind_, delimiter);
    std::string_view text = sample.text;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (!line.starts_with('#')) continue;
      if (!header.apply(line)) continue;
      for (const std::string& name : header.names()) {
        if (known.insert(name).second) layout.names.push_back(name);
      }
    }
    if (layout.names.empty()) return found;
    std::size_t rows = 0;
    std::size_t fitting = 0;
    rows += each_row(sample, delimiter, [&](const TableHeader& now, std::vector<Field>& fields) {
      ++rows;
      // Where nothing separates, everything is one column.
      if (fields.size() == now.width() && fields.size() > 1) ++fitting;
    });
    found.score = static_cast<int>(rows == 0 ? 400 : 400 + 600 * fitting / rows);
    return found;
  }

  HeaderedKind kind_;
};

}  // namespace

const Format& w3c_format() {
  static const HeaderedFormat format(HeaderedKind::kW3c);
  return format;
}

const Format& zeek_format() {
  static const HeaderedFormat format(HeaderedKind::kZeek);
  return format;
}

}  // namespace ratereplay
