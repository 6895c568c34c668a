// SPDX-License-Identifier: Apache-2.0
#include "trace/json.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "trace/json_list.hpp"
#include "trace/json_reader.hpp"
#include "trace/json_scan.hpp"
#include "trace/lines.hpp"

namespace ratereplay {

namespace {

constexpr std::size_t kMaxFields = 5'000;

/// Fills a sample table: a field for every scalar, named by its path; of lists the first and the
/// last element.
class Tabulator {
 public:
  void add(std::string_view record) {
    scanner_ = JsonScanner(record);
    if (scanner_.next() != '{') return;
    JsonScanner check = scanner_;
    if (!check.skip_value() || check.next() != '\0' || check.at() != check.end()) return;
    start_ = record.data();
    ++table_.records;
    visit("");
    for (SampleTable::Field& field : table_.fields) field.cells.resize(table_.records);
  }
  SampleTable finish() { return std::move(table_); }

 private:
  void visit(const std::string& path) {
    const char c = scanner_.next();
    const char* const from = scanner_.at();
    if (c == '{') return visit_object(path);
    if (c == '[') return visit_list(path);
    std::string_view text;
    bool escaped = false;
    CellKind kind = CellKind::kText;
    if (c == '"') {
      scanner_.take_string(text, escaped);
      if (escaped) text = unescaped(text);
    } else {
      scanner_.skip_plain();
      text = {from, static_cast<std::size_t>(scanner_.at() - from)};
      kind = c == 'n' ? CellKind::kNull : CellKind::kOther;
      if (c != 'n' && c != 't' && c != 'f') kind = CellKind::kNumber;
    }
    const auto column = static_cast<std::uint32_t>(from - start_ + 1);
    put(path, {text, kind, column});
  }

  void visit_object(const std::string& path) {
    if (!path.empty() && objects_.size() < kMaxFields && objects_.insert(path).second) {
      table_.objects.push_back(path);
    }
    scanner_.take('{');
    if (scanner_.take('}')) return;
    do {
      std::string_view name;
      bool escaped = false;
      scanner_.next();
      scanner_.take_string(name, escaped);
      if (escaped) name = unescaped(name);
      scanner_.take(':');
      visit(path.empty() ? std::string(name) : path + "." + std::string(name));
    } while (scanner_.take(','));
    scanner_.take('}');
  }

  void visit_list(const std::string& path) {
    scanner_.take('[');
    if (scanner_.take(']')) return;
    JsonScanner last = scanner_;
    bool first = true;
    do {
      last = scanner_;
      const char c = scanner_.next();
      if (first && c != '{' && c != '[') {
        visit(path + "[0]");
      } else {
        scanner_.skip_value();
      }
      first = false;
    } while (scanner_.take(','));
    const char c = last.next();
    if (c != '{' && c != '[') {
      std::swap(scanner_, last);
      visit(path + "[-1]");
      scanner_ = last;
    }
    scanner_.take(']');
  }

  void put(const std::string& path, Cell cell) {
    const auto [found, is_new] = index_.try_emplace(path, table_.fields.size());
    if (is_new) {
      if (table_.fields.size() == kMaxFields) {
        index_.erase(found);
        return;
      }
      table_.fields.push_back({path, {}});
    }
    std::vector<Cell>& cells = table_.fields[found->second].cells;
    if (cells.size() == table_.records) return;  // the first of several
    cells.resize(table_.records - 1);
    cells.push_back(cell);
  }

  std::string_view unescaped(std::string_view raw) {
    char* const place = table_.room(raw.size());
    return {place, unescape_json(raw, place)};
  }

  SampleTable table_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_set<std::string> objects_;
  JsonScanner scanner_{{}};
  const char* start_ = nullptr;
};

bool is_object(std::string_view line) {
  JsonScanner scanner(line);
  return scanner.next() == '{' && scanner.skip_value() && scanner.next() == '\0' &&
         scanner.at() == scanner.end();
}

class NdjsonFormat final : public Format {
 public:
  [[nodiscard]] std::string_view name() const override { return "ndjson"; }
  [[nodiscard]] std::string_view summary() const override { return "one JSON object a line"; }

  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    std::string_view text = sample.text;
    std::size_t lines = 0;
    std::size_t objects = 0;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (line.find_first_not_of(" \t") == line.npos || line.front() == '#') continue;
      ++lines;
      if (is_object(line)) ++objects;
    }
    if (objects == 0) return {};
    if (lines == 1 && sample.whole) {
      const JsonListStart list = find_json_list(sample.text);
      if (list.found == JsonListStart::Found::kList && list.first_member) return {500, {}};
    }
    return {static_cast<int>(300 + 700 * objects / lines), {}};
  }

  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout&) const override {
    Tabulator table;
    std::string_view text = sample.text;
    while (!text.empty()) table.add(take_line(text));
    return table.finish();
  }
  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<LineCutter>();
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<NdjsonReader>(plan);
  }
};

class JsonFormat final : public Format {
 public:
  [[nodiscard]] std::string_view name() const override { return "json"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a JSON list of objects, or an object with one such list in it";
  }

  [[nodiscard]] bool line_by_line() const override { return false; }
  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    const JsonListStart list = find_json_list(sample.text);
    if (list.found != JsonListStart::Found::kList) return {};
    JsonScanner scanner(sample.text.substr(list.offset));
    const char first = scanner.next();
    if (first != '{' && first != ']') return {};
    // Lines of objects with lists in them are another format.
    const std::size_t feed = sample.text.find('\n');
    const bool one_line = feed == sample.text.npos || is_object(sample.text.substr(0, feed));
    if (list.wrapped && one_line && !list.first_member) return {400, {}};
    return {950, {}};
  }

  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout&) const override {
    Tabulator table;
    const JsonListStart list = find_json_list(sample.text);
    if (list.found != JsonListStart::Found::kList) return table.finish();
    std::string_view text = sample.text.substr(list.offset);
    while (true) {
      JsonDepth depth;
      const std::size_t end = depth.find_end(text);
      table.add(text.substr(0, end));
      if (end == text.npos || text[end] != ',') break;
      text.remove_prefix(end + 1);
    }
    return table.finish();
  }
  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<JsonListCutter>();
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<JsonListReader>(plan);
  }
};

}  // namespace

const Format& ndjson_format() {
  static const NdjsonFormat format;
  return format;
}

const Format& json_format() {
  static const JsonFormat format;
  return format;
}

}  // namespace ratereplay
