// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ratereplay {

/// Appends the text with U+FFFD for every byte that is not UTF-8.
void append_valid_utf8(std::string& out, std::string_view text);

[[nodiscard]] std::string valid_utf8(std::string_view text);

/// RFC 4648 with padding.
[[nodiscard]] std::string base64_text(std::string_view bytes);

/// The inverse; nullopt unless base64_text of the result is the same text.
[[nodiscard]] std::optional<std::string> parse_base64(std::string_view text);

}  // namespace ratereplay
