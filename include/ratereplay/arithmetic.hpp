// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "ratereplay/time.hpp"

/// The integer arithmetic that the policies share. No floating point decides anything.
namespace ratereplay {

/// Signed, 128 bits: holds the product of any two 64-bit numbers.
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

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

namespace detail {

/// A 64-bit number of the same sign.
template <class Int>
using Narrow = std::conditional_t<(static_cast<Int>(-1) < 0), std::int64_t, std::uint64_t>;

/// a / b towards zero. Divides in 64 bits when both fit, which is several times faster than the
/// library call that 128 bits need.
template <class Int>
[[nodiscard]] constexpr Int quotient(Int a, Int b) noexcept {
  const auto narrow_a = static_cast<Narrow<Int>>(a);
  const auto narrow_b = static_cast<Narrow<Int>>(b);
  if (a == narrow_a && b == narrow_b) return narrow_a / narrow_b;
  return a / b;
}

}  // namespace detail

/// a / b towards minus infinity; b >= 1.
template <class Int>
[[nodiscard]] constexpr Int floor_div(Int a, std::type_identity_t<Int> b) noexcept {
  const Int quotient = detail::quotient(a, b);
  return a < quotient * b ? quotient - 1 : quotient;
}

/// a / b towards plus infinity; b >= 1.
template <class Int>
[[nodiscard]] constexpr Int ceil_div(Int a, std::type_identity_t<Int> b) noexcept {
  const Int quotient = detail::quotient(a, b);
  return a > quotient * b ? quotient + 1 : quotient;
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

/// `t` moved on by `nanoseconds` >= 0, or the greatest 64-bit number.
[[nodiscard]] constexpr std::int64_t later(std::int64_t t, UnsignedWide nanoseconds) noexcept {
  if (nanoseconds > elapsed(t, kInt64Max)) return kInt64Max;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(t) +
                                   static_cast<std::uint64_t>(nanoseconds));
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
  [[nodiscard]] constexpr Instant reaches(std::int64_t seen_time) const noexcept {
    return step_ == 1 ? Instant{Duration{seen_time}} : reaches(Wide{seen_time});
  }

 private:
  std::int64_t step_;
};

}  // namespace ratereplay
