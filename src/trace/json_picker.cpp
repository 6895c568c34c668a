// SPDX-License-Identifier: Apache-2.0
#include "trace/json_picker.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "keys/row_batch.hpp"
#include "trace/delimited_scan.hpp"

namespace ratereplay {

namespace {

constexpr int kNotFound = std::numeric_limits<int>::max();

/// Takes `[3]` off the front of `rest`.
bool take_index(std::string_view& rest, long& index) {
  if (!rest.starts_with('[')) return false;
  const char* const end = rest.data() + rest.size();
  const auto read = std::from_chars(rest.data() + 1, end, index);
  if (read.ec != std::errc{} || read.ptr == end || *read.ptr != ']') return false;
  rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()) + 1);
  return true;
}

bool holds_object(JsonScanner& scanner, std::string_view path) {
  bool found = false;
  scanner.take('{');
  if (scanner.take('}')) return false;
  do {
    std::string_view raw;
    bool escaped = false;
    scanner.next();
    scanner.take_string(raw, escaped);
    std::string name(raw);
    if (escaped) name.resize(unescape_json(raw, name.data()));
    scanner.take(':');
    const bool object = scanner.next() == '{';
    if (object && path == name) found = true;
    if (object && path.size() > name.size() && path.starts_with(name) && path[name.size()] == '.') {
      found = holds_object(scanner, path.substr(name.size() + 1)) || found;
    } else {
      scanner.skip_value();
    }
  } while (scanner.take(','));
  scanner.take('}');
  return found;
}

}  // namespace

bool holds_object(std::string_view record, std::string_view path) {
  JsonScanner scanner(record);
  return holds_object(scanner, path);
}

std::string_view element_of_text(std::string_view text, long index) {
  if (index < 0) index += 1 + std::count(text.begin(), text.end(), ',');
  if (index < 0) return {};
  for (; index > 0; --index) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
  const std::string_view element = trim_blanks(text.substr(0, text.find(',')));
  return element.empty() ? text.substr(0, 0) : element;
}

JsonPicker::JsonPicker(const std::vector<WantedField>& wanted)
    : cells_(wanted.size()), depths_(wanted.size()), slot_of_(wanted.size()) {
  for (const WantedField& field : wanted) names_.push_back(field.name);
}

bool JsonPicker::pick(std::string_view text, RowBatch& batch) {
  scanner_ = JsonScanner(text);
  batch_ = &batch;
  start_ = text.data();
  searches_.clear();
  slots_.clear();
  repeatable_ = true;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    searches_.push_back({i, names_[i]});
    cells_[i] = Cell{};
    depths_[i] = kNotFound;
    slot_of_[i] = kNoSlot;
  }
  if (scanner_.next() != '{') {
    scanner_.fail(scanner_.at(), "a record must be an object");
    return give_up();
  }
  if (!take_object(0, 1)) return give_up();
  scanner_.next();
  if (scanner_.at() != scanner_.end()) {
    scanner_.fail(scanner_.at(), "text after the end of the object");
    return give_up();
  }
  if (!repeatable_) slots_.clear();
  return true;
}

bool JsonPicker::give_up() {
  fault_ = scanner_.fault();
  reason_ = scanner_.reason();
  slots_.clear();
  return false;
}

bool JsonPicker::take_object(std::size_t first, int depth) {
  if (depth > JsonScanner::kMaxDepth) return scanner_.fail(scanner_.at(), "nested too deeply");
  scanner_.take('{');
  if (scanner_.take('}')) return true;
  const std::size_t last = searches_.size();
  while (true) {
    std::string_view name;
    bool escaped = false;
    scanner_.next();
    if (!scanner_.take_string(name, escaped)) return false;
    if (escaped) {
      name_.resize(name.size());
      name_.resize(unescape_json(name, name_.data()));
      name = name_;
    }
    if (!scanner_.take(':')) return scanner_.fail(scanner_.at(), "a colon belongs here");
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view rest = searches_[i].rest;
      if (!rest.starts_with(name)) continue;
      const std::string_view below = rest.substr(name.size());
      if (below.empty() || below.front() == '.' || below.front() == '[') {
        searches_.push_back({searches_[i].wanted, below});
      }
    }
    if (!take_value(last, depth)) return false;
    searches_.resize(last);
    if (scanner_.take('}')) return true;
    if (!scanner_.take(',')) {
      return scanner_.fail(scanner_.at(), "a comma or a closing bracket belongs here");
    }
  }
}

bool JsonPicker::take_list(std::size_t first, int depth) {
  if (depth > JsonScanner::kMaxDepth) return scanner_.fail(scanner_.at(), "nested too deeply");
  const std::size_t last = searches_.size();
  long count = 0;
  JsonScanner ahead = scanner_;
  ahead.take('[');
  if (ahead.next() != ']') {
    do {
      if (!ahead.skip_value(depth)) return scanner_.fail(ahead.fault(), ahead.reason());
      ++count;
    } while (ahead.take(','));
  }
  if (!ahead.take(']')) {
    return scanner_.fail(ahead.at(), "a comma or a closing bracket belongs here");
  }
  scanner_.take('[');
  for (long element = 0; element < count; ++element) {
    for (std::size_t i = first; i < last; ++i) {
      std::string_view rest = searches_[i].rest;
      long index = 0;
      if (!take_index(rest, index)) continue;
      if (index < 0) index += count;
      if (index == element) searches_.push_back({searches_[i].wanted, rest});
    }
    if (!take_value(last, depth)) return false;
    searches_.resize(last);
    scanner_.take(',');
  }
  return scanner_.take(']');
}

bool JsonPicker::take_value(std::size_t first, int depth) {
  const std::size_t last = searches_.size();
  const char c = scanner_.next();
  const char* const from = scanner_.at();
  std::string_view text;
  CellKind kind = CellKind::kText;
  bool escaped = false;
  if (c == '{') {
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view rest = searches_[i].rest;
      if (rest.starts_with('.')) searches_.push_back({searches_[i].wanted, rest.substr(1)});
    }
    if (!take_object(last, depth + 1)) return false;
    searches_.resize(last);
    kind = CellKind::kOther;
  } else if (c == '[') {
    const bool inside =
        std::any_of(searches_.begin() + static_cast<std::ptrdiff_t>(first), searches_.end(),
                    [](const Search& search) { return search.rest.starts_with('['); });
    if (inside) {
      repeatable_ = false;
      if (!take_list(first, depth + 1)) return false;
      searches_.resize(last);
    } else {
      if (!scanner_.skip_value(depth)) return false;
      slots_.push_back({Slot::Kind::kList, from, scanner_.at()});
    }
    kind = CellKind::kOther;
  } else if (c == '"') {
    if (!scanner_.take_string(text, escaped)) return false;
    slots_.push_back({Slot::Kind::kString, from + 1, scanner_.at() - 1});
    if (escaped) repeatable_ = repeatable_ && first == last;
  } else {
    if (!scanner_.skip_plain()) return false;
    slots_.push_back({Slot::Kind::kPlain, from, scanner_.at()});
    kind = c == 'n' ? CellKind::kNull : c == 't' || c == 'f' ? CellKind::kOther : CellKind::kNumber;
  }
  if (kind != CellKind::kText) text = {from, static_cast<std::size_t>(scanner_.at() - from)};
  for (std::size_t i = first; i < last; ++i) {
    take_cell(searches_[i], depth, from, text, kind, escaped);
  }
  return true;
}

void JsonPicker::take_cell(const Search& search, int depth, const char* from, std::string_view text,
                           CellKind kind, bool escaped) {
  std::string_view rest = search.rest;
  long index = 0;
  const bool element = kind == CellKind::kText && take_index(rest, index);
  if (!rest.empty() || depth >= depths_[search.wanted]) return;
  if (escaped) {
    char* const place = batch_->scratch(text.size());
    text = {place, unescape_json(text, place)};
  }
  if (element) {
    repeatable_ = false;
    text = element_of_text(text, index);
    if (text.data() == nullptr) return;
  }
  depths_[search.wanted] = depth;
  const auto offset = static_cast<std::size_t>(from - start_);
  cells_[search.wanted] = {text, kind, static_cast<std::uint32_t>(offset + 1)};
  if (kind == CellKind::kOther && (*from == '{' || *from == '[')) repeatable_ = false;
  slot_of_[search.wanted] = slots_.empty() ? kNoSlot : slots_.size() - 1;
}

}  // namespace ratereplay
