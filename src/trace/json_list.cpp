// SPDX-License-Identifier: Apache-2.0
#include "trace/json_list.hpp"

#include "error.hpp"
#include "trace/json_scan.hpp"

namespace ratereplay {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

JsonListStart find_json_list(std::string_view text) {
  JsonListStart start;
  JsonScanner scanner(text);
  const auto offset = [&] { return static_cast<std::size_t>(scanner.at() - text.data()); };
  if (scanner.take('[')) {
    start.found = JsonListStart::Found::kList;
    start.offset = offset();
    return start;
  }
  const auto none_or_open = [&] {
    if (scanner.at() < scanner.end()) start.found = JsonListStart::Found::kNone;
    return start;
  };
  if (!scanner.take('{')) return none_or_open();
  for (bool first = true;; first = false) {
    std::string_view name;
    bool escaped = false;
    scanner.next();
    if (scanner.at() == scanner.end()) return start;
    if (!scanner.take_string(name, escaped) || !scanner.take(':')) return none_or_open();
    if (scanner.next() == '[') {
      JsonScanner inside = scanner;
      inside.take('[');
      if (inside.next() == '{' || inside.at() == inside.end()) {
        if (inside.at() == inside.end()) return start;
        scanner.take('[');
        return {JsonListStart::Found::kList, offset(), true, first};
      }
    }
    JsonDepth depth;
    const std::size_t end = depth.find_end(text.substr(offset()));
    if (end == kNone) return start;
    scanner.move_to(scanner.at() + end);
    if (!scanner.take(',')) {
      start.found = JsonListStart::Found::kNone;
      return start;
    }
  }
}

std::size_t JsonDepth::find_end(std::string_view piece) {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  while (at < end) {
    if (escaped_) {
      escaped_ = false;
      in_string_ = in_string_ && *at != '\n';
      ++at;
      continue;
    }
    if (in_string_) {
      at = find_string_end(at, end);
      if (at == end) break;
      escaped_ = *at == '\\';
      if (*at == '"' || *at == '\n') in_string_ = false;
      ++at;
      continue;
    }
    switch (*at) {
      case '"':
        in_string_ = true;
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      case ',':
        if (depth_ == 0) return static_cast<std::size_t>(at - piece.data());
        break;
      case '}':
      case ']':
        if (depth_ == 0) return static_cast<std::size_t>(at - piece.data());
        --depth_;
        break;
      default:
        break;
    }
    ++at;
  }
  return kNone;
}

std::size_t JsonListCutter::cut(std::string_view text, bool last) {
  if (phase_ == Phase::kBehind) {
    check_tail(text);
    return text.size();
  }
  std::size_t from = 0;
  if (phase_ == Phase::kBefore) {
    const JsonListStart start = find_json_list(text);
    if (start.found == JsonListStart::Found::kNone) {
      throw Error(ErrorKind::kInput, "the JSON document holds no list of objects",
                  {"records are the elements of [...] or of {\"name\": [...]}; "
                   "for one object a line use -F ndjson"});
    }
    if (start.found == JsonListStart::Found::kOpen) return last ? text.size() : 0;
    from = start.offset;
    const std::size_t end = cut_elements(text, from);
    if (end == from && !last) return 0;
    if (phase_ == Phase::kBefore) phase_ = Phase::kInside;
    wrapped_ = start.wrapped;
    return last && phase_ == Phase::kInside ? text.size() : end;
  }
  const std::size_t end = cut_elements(text, 0);
  return last && phase_ == Phase::kInside ? text.size() : end;
}

std::size_t JsonListCutter::cut_elements(std::string_view text, std::size_t from) {
  while (true) {
    depth_.restart();
    const std::size_t end = depth_.find_end(text.substr(from));
    if (end == kNone) break;
    from += end + 1;
    if (text[from - 1] == ',') continue;
    phase_ = Phase::kBehind;
    break;
  }
  depth_.restart();
  return from;
}

RecordCutter::Skipped JsonListCutter::skip(std::string_view text) {
  if (phase_ == Phase::kBefore) {
    const JsonListStart start = find_json_list(text);
    if (start.found != JsonListStart::Found::kList) {
      throw Error(ErrorKind::kInput, "no list of objects in the first 16 MiB of a JSON document");
    }
    phase_ = Phase::kInside;
    wrapped_ = start.wrapped;
    const std::size_t end = depth_.find_end(text.substr(start.offset));
    if (end == kNone) return {text.size(), false};
    if (text[start.offset + end] != ',') phase_ = Phase::kBehind;
    depth_.restart();
    return {start.offset + end + 1, true};
  }
  const std::size_t end = depth_.find_end(text);
  if (end == kNone) return {text.size(), false};
  if (text[end] != ',') phase_ = Phase::kBehind;
  depth_.restart();
  return {end + 1, true};
}

/// What follows the list: the other members of the object around it, or white space.
void JsonListCutter::check_tail(std::string_view text) {
  for (const char c : text) {
    if (tail_.escaped) {
      tail_.escaped = false;
    } else if (tail_.in_string) {
      tail_.escaped = c == '\\';
      tail_.in_string = c != '"' && c != '\n';
    } else if (!is_space(c)) {
      if (tail_.ended || !wrapped_) {
        throw Error(ErrorKind::kInput, "something follows the end of the JSON document",
                    {"one document a file; for one object a line use -F ndjson"});
      }
      if (tail_.list_opened && c == '{') {
        throw Error(ErrorKind::kInput, "the JSON document holds more than one list of objects",
                    {"write the list that holds the requests to a file of its own"});
      }
      tail_.list_opened = c == '[' && tail_.depth == 0;
      tail_.in_string = c == '"';
      if (c == '{' || c == '[') ++tail_.depth;
      if ((c == '}' || c == ']') && tail_.depth-- == 0) tail_.ended = true;
    }
  }
}

std::optional<std::string> JsonListCutter::unfinished() const {
  if (phase_ != Phase::kBehind) return "the file ends inside the JSON list";
  if (wrapped_ && !tail_.ended) return "the file ends inside the JSON document";
  return std::nullopt;
}

}  // namespace ratereplay
