// SPDX-License-Identifier: Apache-2.0
#include "trace/logfmt.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/json_scan.hpp"
#include "trace/lines.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kMaxFields = 1'000;

/// Takes a line apart from left to right.
class PairScanner {
 public:
  explicit PairScanner(std::string_view line) : line_(line) {}

  /// The next word; false at the end of the line and at a fault.
  bool next() {
    at_ = std::min(line_.find_first_not_of(" \t", at_), line_.size());
    if (at_ == line_.size()) return false;
    const std::size_t stop = std::min(line_.find_first_of(" \t=\"", at_), line_.size());
    key = line_.substr(at_, stop - at_);
    column = at_;
    quoted = false;
    pair = stop < line_.size() && line_[stop] == '=' && !key.empty();
    if (!pair) {
      // A word, or something that is none; up to the next blank.
      at_ = std::min(line_.find_first_of(" \t", at_), line_.size());
      key = line_.substr(column, at_ - column);
      value = key.substr(key.size());
      return true;
    }
    at_ = column = stop + 1;
    if (at_ < line_.size() && line_[at_] == '"') return take_quoted();
    at_ = std::min(line_.find_first_of(" \t", at_), line_.size());
    value = line_.substr(column, at_ - column);
    return true;
  }

  std::string_view key;
  std::string_view value;  ///< with its escapes, where quoted
  std::size_t column = 0;  ///< of the value, from 0
  bool pair = false;
  bool quoted = false;
  std::string_view fault;  ///< why the line cannot be read beyond `column`

 private:
  bool take_quoted() {
    for (std::size_t end = at_ + 1; end < line_.size(); ++end) {
      if (line_[end] == '\\') {
        ++end;
      } else if (line_[end] == '"') {
        value = line_.substr(at_ + 1, end - at_ - 1);
        quoted = true;
        at_ = end + 1;
        return true;
      }
    }
    fault = "the quote that opens here does not close";
    return false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

/// Every `\u` has its four digits.
bool is_sound(std::string_view raw) {
  for (std::size_t i = raw.find('\\'); i != raw.npos; i = raw.find('\\', i + 2)) {
    if (raw[i + 1] != 'u') continue;
    const std::string_view code = raw.substr(i + 2, 4);
    if (code.size() < 4 || !std::ranges::all_of(code, is_hex)) return false;
  }
  return true;
}

/// The value at hand without its escapes; one with an unknown escape stays as written. `room(size)`
/// gives a place for it.
template <class Room>
Cell cell_of(const PairScanner& scanner, const Room& room) {
  Cell cell{scanner.value, CellKind::kText, static_cast<std::uint32_t>(scanner.column + 1)};
  if (scanner.quoted && cell.text.find('\\') != cell.text.npos && is_sound(cell.text)) {
    char* const place = room(cell.text.size());
    cell.text = {place, unescape_json(cell.text, place)};
  }
  return cell;
}

class LogfmtReader final : public BlockReader {
 public:
  explicit LogfmtReader(const ReadPlan& plan) : builder_(plan), cells_(plan.wanted.size()) {
    for (const WantedField& wanted : plan.wanted) wanted_.push_back(wanted.name);
  }

  void read(const Block& block, RowBatch& batch) override {
    read_lines(block, batch, [&](std::string_view record, std::uint64_t line, std::uint32_t) {
      if (is_row(record)) read_line(record, line, batch);
    });
  }

 private:
  void read_line(std::string_view record, std::uint64_t line, RowBatch& batch) {
    PairScanner scanner(record);
    std::ranges::fill(cells_, Cell{});
    bool any = false;
    while (scanner.next()) {
      any = any || scanner.pair;
      for (std::size_t i = 0; i < wanted_.size(); ++i) {
        if (wanted_[i] != scanner.key || cells_[i].kind != CellKind::kMissing) continue;
        cells_[i] = cell_of(scanner, [&batch](std::size_t size) { return batch.scratch(size); });
      }
    }
    if (!scanner.fault.empty()) {
      batch.add_bad(BadKind::kQuote, line, scanner.column + 1,
                    [&] { return std::string(scanner.fault); });
    } else if (!any) {
      batch.add_bad(BadKind::kSyntax, line, 1, [] { return std::string("no key=value pair"); });
    } else {
      builder_.build(cells_, line, batch);
    }
  }

  RowBuilder builder_;
  std::vector<std::string> wanted_;
  std::vector<Cell> cells_;
};

/// A line that is hardly anything else: it starts with a pair, and half of its words are pairs.
bool is_typical(std::string_view line) {
  if (line.find('=') == line.npos) return false;
  PairScanner scanner(line);
  std::size_t words = 0;
  std::size_t pairs = 0;
  while (scanner.next()) {
    if (scanner.pair) ++pairs;
    if (++words == 1 && pairs == 0) return false;
  }
  return scanner.fault.empty() && pairs >= 2 && pairs * 2 >= words;
}

class LogfmtFormat final : public Format {
 public:
  [[nodiscard]] std::string_view name() const override { return "logfmt"; }
  [[nodiscard]] std::string_view summary() const override {
    return "key=value pairs, one row a line";
  }

  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    std::size_t lines = 0;
    std::size_t typical = 0;
    std::string_view text = sample.text;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (!is_row(line)) continue;
      ++lines;
      if (is_typical(line)) ++typical;
    }
    // One line in two may be something else, as where a program prints a banner.
    if (typical * 2 < lines || typical == 0) return {};
    return {static_cast<int>(450 + 500 * typical / lines), {}};
  }

  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout&) const override {
    SampleTable table;
    const auto room = [&table](std::size_t size) { return table.room(size); };
    std::unordered_map<std::string_view, std::size_t> index;
    std::string_view text = sample.text;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (!is_row(line)) continue;
      PairScanner scanner(line);
      bool any = false;
      while (scanner.next()) {
        any = any || scanner.pair;
        const auto [found, is_new] = index.try_emplace(scanner.key, table.fields.size());
        if (is_new && table.fields.size() == kMaxFields) {
          index.erase(found);
          continue;
        }
        if (is_new) table.fields.push_back({std::string(scanner.key), {}});
        std::vector<Cell>& cells = table.fields[found->second].cells;
        if (cells.size() > table.records) continue;  // a key twice: the first counts
        cells.resize(table.records);
        cells.push_back(cell_of(scanner, room));
      }
      if (any && scanner.fault.empty()) {
        ++table.records;
      } else {
        for (SampleTable::Field& field : table.fields) {
          if (field.cells.size() > table.records) field.cells.pop_back();
        }
      }
    }
    for (SampleTable::Field& field : table.fields) field.cells.resize(table.records);
    return table;
  }

  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<LineCutter>();
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<LogfmtReader>(plan);
  }
};

}  // namespace

const Format& logfmt_format() {
  static const LogfmtFormat format;
  return format;
}

}  // namespace ratereplay
