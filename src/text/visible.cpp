// SPDX-License-Identifier: Apache-2.0
#include "text/visible.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "text/utf8.hpp"

namespace ratereplay {
namespace {

void append_escape(std::string& out, char32_t value) {
  switch (value) {
    case U'\n':
      out += "\\n";
      return;
    case U'\r':
      out += "\\r";
      return;
    case U'\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto number = static_cast<std::uint32_t>(value);
  if (number < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", number);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", number);
  }
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.bytes == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[at]));
      ++at;
      continue;
    }
    if (is_invisible(point.value)) {
      append_escape(out, point.value);
    } else {
      out += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return out;
}

std::size_t visible_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : visible(text)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++width;
  }
  return width;
}

}  // namespace ratereplay
