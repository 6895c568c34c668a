// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.hpp"

#include <array>

namespace ratereplay {

CodePoint decode_utf8(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() - at < bytes) return {};
  char32_t value = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[bytes] || value > 0x10ffff || surrogate) return {};
  return {value, bytes};
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.bytes == 0) return false;
    at += point.bytes;
  }
  return true;
}

bool is_invisible(char32_t value) noexcept {
  return value < 0x20 || (value >= 0x7f && value <= 0x9f) ||  // C0, delete, C1
         value == 0xad || value == 0x61c ||                   // soft hyphen, Arabic letter mark
         (value >= 0x200b && value <= 0x200f) ||              // zero width, direction marks
         (value >= 0x2028 && value <= 0x202e) ||              // separators, direction overrides
         (value >= 0x2060 && value <= 0x206f) || value == 0xfeff;
}

}  // namespace ratereplay
