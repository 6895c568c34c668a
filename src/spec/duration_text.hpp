// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ratereplay/time.hpp"

namespace ratereplay {

/// Why a text is not a duration.
enum class DurationFault : std::uint8_t {
  kSyntax,    ///< not `[digits[.digits]] unit`
  kUnit,      ///< no such unit
  kFraction,  ///< not a whole number of nanoseconds
  kRange,     ///< more than 2^63 - 1 ns
};

/// `[decimal] unit` with unit ns us ms s m min h d w (long names and plurals too); the number
/// defaults to 1. Exact: "1.5s" is 1500 ms, "0.1ns" is refused.
[[nodiscard]] std::variant<Duration, DurationFault> read_duration(std::string_view text);

/// The same; nullopt when the text is not such a duration or passes 2^63 - 1 ns.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// A duration above 0. Error(kUsage) naming the flag.
[[nodiscard]] Duration need_duration(const char* flag, const std::string& text);

/// The units, as a message lists them.
inline constexpr std::string_view kDurationUnits = "ns, us, ms, s, m (or min), h, d, w";

/// The largest unit that divides it exactly: "1s", "90s", "1h", "1500ms"; zero is "0s". A duration
/// that is not negative parses to itself.
[[nodiscard]] std::string duration_text(Duration duration);

}  // namespace ratereplay
