// SPDX-License-Identifier: Apache-2.0
#include "measure/worst_window.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ratereplay {
namespace {

/// Two pointers, one row at a time.
WindowPeak plain_peak(const std::vector<std::int64_t>& at, std::int64_t window) {
  WindowPeak peak;
  std::size_t oldest = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    while (at[i] - at[oldest] >= window) ++oldest;
    if (i + 1 - oldest > peak.units) peak = {i + 1 - oldest, at[i]};
  }
  return peak;
}

}  // namespace

TEST_CASE("worst window: skipping stretches misses no fuller window") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    std::vector<std::int64_t> at(1 + random() % 300);
    std::int64_t now = -1000;
    std::uint64_t gap = 1;
    for (std::int64_t& each : at) {
      if (random() % 30 == 0) gap = 1 + random() % 60;
      now += static_cast<std::int64_t>(random() % gap);
      each = now;
    }
    const std::int64_t window = 1 + static_cast<std::int64_t>(random() % 500);
    const WindowPeak expected = plain_peak(at, window);
    for (const std::uint64_t beyond :
         {std::uint64_t{0}, expected.units / 2, expected.units - 1, expected.units}) {
      CAPTURE(beyond);
      const WindowPeak peak = window_peak(at, {}, Duration{window}, beyond);
      CHECK(peak.units == (beyond < expected.units ? expected.units : 0));
      if (beyond < expected.units) CHECK(peak.at == expected.at);
      CHECK((window_peak(at, {}, Duration{window}, beyond, beyond + 1).units > 0) ==
            (beyond < expected.units));
    }
    std::vector<std::uint64_t> limits(1 + random() % 6);
    for (std::uint64_t& limit : limits) limit = 1 + random() % (2 * expected.units);
    std::ranges::sort(limits);
    const auto holds = std::ranges::lower_bound(limits, expected.units) - limits.begin();
    CHECK(first_to_hold(limits, at, {}, Duration{window}) == static_cast<std::size_t>(holds));
    const std::vector<Cost> ones(at.size(), 1);
    CHECK(first_to_hold(limits, at, ones, Duration{window}) == static_cast<std::size_t>(holds));
  }
}

}  // namespace ratereplay
