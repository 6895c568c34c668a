// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "generate/random.hpp"
#include "ratereplay/arithmetic.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// An exponentially distributed number of mean 1, in units of 2^-32, made by comparing uniform
/// words alone, so that every platform draws the same: no logarithm, no floating point. Von
/// Neumann, "Various techniques used in connection with random digits", 1951: the first word of a
/// falling run of odd length is the fraction, and every run of even length before it adds 1. Draws
/// about 4.3 words. Exact but for ties (2^-32 each).
constexpr std::uint64_t exponential(Random& random) noexcept {
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint32_t first = random.next();
    bool odd = true;
    std::uint32_t last = first;
    for (std::uint32_t word = random.next(); word < last; word = random.next()) {
      last = word;
      odd = !odd;
    }
    if (odd) return (whole << 32U) | first;
  }
}

/// Exponentially distributed durations of mean `period / count`. What is cut off a nanosecond is
/// carried to the next, so that the mean is kept at any rate.
class ExponentialGaps {
 public:
  /// period >= 1 ns; count from 1 to 2^31 - 1.
  constexpr ExponentialGaps(Duration period, std::int64_t count) noexcept
      : period_(period.count()), divisor_(count << 32U) {}

  /// At most 2^63 - 1 ns.
  constexpr Duration next(Random& random) noexcept {
    const Wide total = static_cast<Wide>(exponential(random)) * period_ + rest_;
    const Wide gap = floor_div(total, divisor_);
    rest_ = static_cast<std::int64_t>(total - gap * divisor_);
    return Duration{saturate(gap)};
  }

 private:
  std::int64_t period_;
  std::int64_t divisor_;
  std::int64_t rest_ = 0;
};

}  // namespace ratereplay
