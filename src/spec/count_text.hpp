// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace ratereplay {

/// Why a text is not a count.
enum class CountFault : std::uint8_t {
  kSyntax,  ///< not `digits [ "k" | "M" ]`
  kRange,   ///< more than 2^63 - 1
};

/// `digits [ "k" | "M" ]`, a thousand and a million: 0 to 2^63 - 1.
[[nodiscard]] std::variant<std::int64_t, CountFault> read_count(std::string_view text);

/// How to write one, as advice.
inline constexpr std::string_view kCountAdvice =
    "write digits, with k for thousands or M for millions: 100, 5k, 2M";

/// The count that `flag` was given. Throws Error(kUsage) when it is none.
[[nodiscard]] std::uint64_t need_count(std::string_view flag, std::string_view text);

}  // namespace ratereplay
