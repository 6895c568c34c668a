// SPDX-License-Identifier: Apache-2.0
#include "measure/histogram.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace ratereplay {

TEST_CASE("histogram: waits counted in whole units are the waits counted in nanoseconds") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const std::int64_t unit = std::vector<std::int64_t>{1, 7, 1'000'000}[random() % 3];
    Histogram whole{Duration{unit}};
    Histogram exact{Duration{unit}};
    for (int run = 0; run < 5; ++run) {
      const std::int64_t start = static_cast<std::int64_t>(random() % 1'000'000) * unit;
      // Gaps from many in a step of the histogram to many steps.
      const std::uint64_t gap = 1 + random() % (random() % 2 == 0 ? 3 : 3000);
      std::vector<std::uint32_t> ticks;
      std::vector<std::int64_t> at;
      std::uint32_t tick = static_cast<std::uint32_t>(random() % 100);
      for (std::uint64_t i = 0; i < 500; ++i) {
        ticks.push_back(tick);
        at.push_back(start + tick * unit);
        tick += static_cast<std::uint32_t>(random() % gap);
      }
      const std::int64_t due =
          at.back() + 1 +
          static_cast<std::int64_t>(random() % (1000 * static_cast<std::uint64_t>(unit)));
      const std::int64_t since = due - start;
      exact.add_waits(at, Instant{Duration{due}});
      whole.add_waits(ticks, static_cast<std::uint64_t>((since + unit - 1) / unit));
    }
    REQUIRE(whole.distribution().count == exact.distribution().count);
    CHECK(whole.distribution().min == exact.distribution().min);
    CHECK(whole.distribution().max == exact.distribution().max);
    for (std::uint64_t percent = 1; percent <= 100; ++percent) {
      CHECK(whole.quantile(percent) == exact.quantile(percent));
    }
  }
}

}  // namespace ratereplay
