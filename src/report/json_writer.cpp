// SPDX-License-Identifier: Apache-2.0
#include "report/json_writer.hpp"

#include <array>

#include "report/number_text.hpp"
#include "report/valid_utf8.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

bool plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t from = at;
    while (at < text.size() && plain(text[at])) ++at;
    out.append(text, from, at - from);
    if (at == text.size()) break;
    const std::size_t special = at;
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) ++at;
    if (at > special) {
      append_valid_utf8(out, text.substr(special, at - special));
      continue;
    }
    const char c = text[at++];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[static_cast<unsigned char>(c) >> 4U];
        out += kHex[static_cast<unsigned char>(c) & 15U];
    }
  }
  out += '"';
}

JsonWriter& JsonWriter::open(char begin, char end, Layout layout) {
  separate();
  out_ += begin;
  const bool inside_line = !levels_.empty() && levels_.back().one_line;
  levels_.push_back({end, inside_line || layout == kOneLine, true});
  return *this;
}

JsonWriter& JsonWriter::close() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.one_line && !level.empty) new_line();
  out_ += level.close;
  return *this;
}

JsonWriter& JsonWriter::member(std::string_view name) {
  separate();
  out_ += '"';
  out_ += name;
  out_ += "\": ";
  named_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::count(std::uint64_t value) {
  std::array<char, kNumberBytes> buffer;
  return raw({buffer.data(), write_count(buffer.data(), value)});
}

JsonWriter& JsonWriter::ms(std::int64_t nanoseconds) {
  std::array<char, kNumberBytes> buffer;
  return raw({buffer.data(), write_ms(buffer.data(), nanoseconds)});
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

void JsonWriter::separate() {
  if (named_ || levels_.empty()) {
    named_ = false;
    return;
  }
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  if (!level.one_line) {
    new_line();
  } else if (!level.empty) {
    out_ += ' ';
  }
  level.empty = false;
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(levels_.size() * 2, ' ');
}

}  // namespace ratereplay
