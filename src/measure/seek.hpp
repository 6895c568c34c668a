// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ratereplay {

/// The first row from `first` on at `instant` or later; at.size() if there is none. `at` is in
/// order. Costs a compare for each of a few rows, then the logarithm of the distance.
[[nodiscard]] inline std::size_t seek(std::span<const std::int64_t> at, std::size_t first,
                                      std::int64_t instant) {
  constexpr std::size_t kNear = 8;
  const std::size_t near = std::min(first + kNear, at.size());
  for (; first < near; ++first) {
    if (at[first] >= instant) return first;
  }
  std::size_t step = kNear;
  while (first + step < at.size() && at[first + step - 1] < instant) {
    first += step;
    step *= 2;
  }
  const auto begin = at.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = at.begin() + static_cast<std::ptrdiff_t>(std::min(first + step, at.size()));
  return static_cast<std::size_t>(std::lower_bound(begin, end, instant) - at.begin());
}

}  // namespace ratereplay
