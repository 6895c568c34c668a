// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "ratereplay/time.hpp"

/// The integer arithmetic that the policies share. No floating point decides anything.
namespace ratereplay {

/// Signed, 128 bits: holds the product of any two 64-bit numbers.
__extension__ typedef __int128 Wide;

inline constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
inline constexpr Wide kWideMin = Wide{1} << 126 << 1;
inline constexpr Wide kWideMax = ~kWideMin;

/// Whether `value` is a 64-bit number.
[[nodiscard]] constexpr bool fits_int64(Wide value) noexcept {
  return value == static_cast<std::int64_t>(value);
}

/// `value`, or the nearest 64-bit number.
[[nodiscard]] constexpr std::int64_t saturate(Wide value) noexcept {
  if (value > kInt64Max) return kInt64Max;
  if (value < kInt64Min) return kInt64Min;
  return static_cast<std::int64_t>(value);
}

/// a / b towards minus infinity; b >= 1. Divides in 64 bits when both fit, which is several times
/// faster than the library call that 128 bits need.
[[nodiscard]] constexpr Wide floor_div(Wide a, Wide b) noexcept {
  if (fits_int64(a) && fits_int64(b)) {
    const auto narrow_a = static_cast<std::int64_t>(a);
    const auto narrow_b = static_cast<std::int64_t>(b);
    const std::int64_t quotient = narrow_a / narrow_b;
    return narrow_a % narrow_b < 0 ? quotient - 1 : quotient;
  }
  const Wide quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

/// a / b towards plus infinity; b >= 1.
[[nodiscard]] constexpr Wide ceil_div(Wide a, Wide b) noexcept {
  if (fits_int64(a) && fits_int64(b)) {
    const auto narrow_a = static_cast<std::int64_t>(a);
    const auto narrow_b = static_cast<std::int64_t>(b);
    const std::int64_t quotient = narrow_a / narrow_b;
    return narrow_a % narrow_b > 0 ? quotient + 1 : quotient;
  }
  const Wide quotient = a / b;
  return a % b > 0 ? quotient + 1 : quotient;
}

/// a + b, or the greatest Wide; b >= 0.
[[nodiscard]] constexpr Wide saturating_add(Wide a, Wide b) noexcept {
  return a > kWideMax - b ? kWideMax : a + b;
}

/// a + b, or the greatest 64-bit number; b >= 0.
[[nodiscard]] constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  return a > kInt64Max - b ? kInt64Max : a + b;
}

/// later - earlier, exact for any two instants in order.
[[nodiscard]] constexpr std::uint64_t elapsed(std::int64_t earlier, std::int64_t later) noexcept {
  return static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
}

/// What is left of t after whole windows counted from 0: 0 to window - 1, also for negative t.
[[nodiscard]] constexpr std::int64_t floor_mod(std::int64_t t, std::int64_t window) noexcept {
  const std::int64_t rest = t % window;
  return rest < 0 ? rest + window : rest;
}

/// Nanoseconds as an instant; beyond the range, its nearest end.
[[nodiscard]] constexpr Instant to_instant(Wide nanoseconds) noexcept {
  return Instant{Duration{saturate(nanoseconds)}};
}

/// The clock that a limiter reads: it stands still between multiples of its step.
class Resolution {
 public:
  /// `step` >= 1 ns; 1 ns sees every instant as it is.
  constexpr explicit Resolution(Duration step) noexcept : step_(step.count()) {}

  /// ns.
  [[nodiscard]] constexpr std::int64_t step() const noexcept { return step_; }

  /// step * floor(now / step). The few instants whose multiple lies before the range of time are
  /// seen as its first instant.
  [[nodiscard]] constexpr std::int64_t seen(Instant now) const noexcept {
    const std::int64_t t = now.time_since_epoch().count();
    if (step_ == 1) return t;
    const std::int64_t rest = floor_mod(t, step_);
    return t < kInt64Min + rest ? kInt64Min : t - rest;
  }

  /// The first true instant whose seen time is at least `seen_time`: step * ceil(seen_time / step).
  [[nodiscard]] constexpr Instant reaches(Wide seen_time) const noexcept {
    if (step_ == 1 || seen_time >= kInt64Max) return to_instant(seen_time);
    return to_instant(ceil_div(seen_time, step_) * step_);
  }

 private:
  std::int64_t step_;
};

}  // namespace ratereplay
