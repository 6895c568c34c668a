// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ratereplay {

/// One step through a text that should be UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  ///< 0 when the bytes there are not UTF-8
};

/// The code point that starts at byte `at` (at < text.size()). Overlong forms, surrogates and
/// values above U+10FFFF are not UTF-8.
[[nodiscard]] CodePoint decode_utf8(std::string_view text, std::size_t at) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Code points that a terminal does not show as themselves: C0 and C1 controls, delete, and the
/// invisible ones that change the order or the joining of text.
[[nodiscard]] bool is_invisible(char32_t value) noexcept;

}  // namespace ratereplay
