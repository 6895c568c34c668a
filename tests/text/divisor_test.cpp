// SPDX-License-Identifier: Apache-2.0
#include "divisor.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

namespace ratereplay {

TEST_CASE("divisor: quotients are exact at both ends and around every multiple") {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::mt19937_64 random(7);
  for (unsigned bits = 1; bits <= 63; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << (bits - 1);
    for (const std::uint64_t value : {power, power + 1, 2 * power - 1, power + random() % power}) {
      CAPTURE(value);
      const Divisor divisor(value);
      for (const std::uint64_t dividend :
           {std::uint64_t{0}, value - 1, value, kMost >> 1, (kMost >> 1) + 1, kMost - 1, kMost}) {
        CHECK(divisor.quotient(dividend) == dividend / value);
      }
      for (int i = 0; i < 50; ++i) {
        const std::uint64_t multiple = random() % (kMost / value) * value;
        CHECK(divisor.quotient(multiple) == multiple / value);
        CHECK(divisor.quotient(multiple - 1) == (multiple - 1) / value);
        CHECK(divisor.quotient(multiple + value - 1) == multiple / value);
      }
    }
  }
}

}  // namespace ratereplay
