// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ratereplay {

/// Edits that turn one text into the other: insert, delete or change a byte, or swap two
/// neighbours (optimal string alignment). ASCII case does not count.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `text` was probably meant to be: at most one edit for every three bytes, or
/// else the first that begins with it (three bytes or more). The earliest wins a tie. nullopt when
/// none is close.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view text,
                                                      std::span<const std::string_view> candidates);

/// "did you mean 'x'?", or nothing when none is close.
[[nodiscard]] std::optional<std::string> suggestion(std::string_view text,
                                                    std::span<const std::string_view> candidates);

}  // namespace ratereplay
