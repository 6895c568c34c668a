// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratereplay {

/// The text as it can be printed on one line of any terminal: controls and other invisible code
/// points as \n, \t, \x1b or \u202e, bytes that are not UTF-8 as \xff. The result is valid UTF-8.
[[nodiscard]] std::string visible(std::string_view text);

/// Columns that `visible(text)` takes, one per code point.
[[nodiscard]] std::size_t visible_width(std::string_view text);

}  // namespace ratereplay
