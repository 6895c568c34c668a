// SPDX-License-Identifier: Apache-2.0
#include "report/valid_utf8.hpp"

#include <cstdint>

#include "text/utf8.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void append_valid_utf8(std::string& out, std::string_view text) {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = decode_utf8(text, at).bytes;
    if (bytes == 0) {
      out.append(text, copied, at - copied).append("\xEF\xBF\xBD");
      copied = at + 1;
    }
    at += bytes == 0 ? 1 : bytes;
  }
  out.append(text, copied);
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  append_valid_utf8(out, text);
  return out;
}

std::string base64_text(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= group.size() ? kAlphabet[bits >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return out;
}

std::optional<std::string> parse_base64(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t bits = 0;
    std::size_t digits = 0;
    for (const char c : text.substr(at, 4)) {
      const std::size_t value = kAlphabet.find(c);
      if (value == std::string_view::npos) break;
      bits = bits << 6 | static_cast<std::uint32_t>(value);
      ++digits;
    }
    if (digits < 2) return std::nullopt;
    bits <<= 6 * (4 - digits);
    for (std::size_t i = 0; i + 1 < digits; ++i) {
      out += static_cast<char>(bits >> (16 - 8 * i) & 0xFFU);
    }
  }
  if (base64_text(out) != text) return std::nullopt;
  return out;
}

}  // namespace ratereplay
