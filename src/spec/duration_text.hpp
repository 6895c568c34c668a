// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ratereplay/time.hpp"

namespace ratereplay {

/// `[decimal] unit` with unit ns us ms s m min h d w (long names and plurals too); the number
/// defaults to 1. Exact: "1.5s" is 1500 ms, "0.1ns" is refused. nullopt when the text is not such a
/// duration or passes 2^63 - 1 ns.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// The largest unit that divides it exactly: "1s", "90s", "1h", "1500ms".
[[nodiscard]] std::string duration_text(Duration duration);

}  // namespace ratereplay
