// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ratereplay/arithmetic.hpp"

namespace ratereplay {

/// What vectors and drivers count time in. Every time is a whole number of it, and what lies
/// between two is rounded up: then waits, resetAt, fullAt and delays are the first whole unit at
/// which what they promise holds.
struct Unit {
  std::string_view name;
  std::int64_t nanos = 1;

  /// Whole units, fractions up.
  [[nodiscard]] constexpr std::int64_t ceil(std::int64_t ns) const noexcept {
    return static_cast<std::int64_t>(ceil_div(ns, nanos));
  }
  /// Whether so many of it are a time.
  [[nodiscard]] constexpr bool holds(std::int64_t count) const noexcept {
    return fits_int64(Wide{count} * nanos);
  }
  [[nodiscard]] constexpr Instant instant(std::int64_t count) const noexcept {
    return to_instant(Wide{count} * nanos);
  }

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// From the coarsest to the finest.
inline constexpr std::array<Unit, 4> kUnits{
    {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};
inline constexpr Unit kMilliseconds = kUnits[1];

/// The coarsest of them, from `unit` down, in which the instant (ns) is a whole number.
[[nodiscard]] constexpr Unit fitting(Unit unit, std::int64_t at) noexcept {
  for (const Unit& finer : kUnits) {
    if (finer.nanos <= unit.nanos && at % finer.nanos == 0) return finer;
  }
  return kUnits.back();
}

}  // namespace ratereplay
