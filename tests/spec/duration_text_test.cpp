// SPDX-License-Identifier: Apache-2.0
#include "spec/duration_text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

namespace ratereplay {

TEST_CASE("duration: every unit, long names and plurals, decimals, and no number for one") {
  struct Row {
    std::string_view text;
    std::int64_t nanoseconds;
  };
  constexpr Row kRows[] = {
      {"1ns", 1},
      {"ns", 1},
      {"7us", 7'000},
      {"microsecond", 1'000},
      {"250ms", 250'000'000},
      {"s", 1'000'000'000},
      {"1.5s", 1'500'000'000},
      {"0.000000001s", 1},
      {"1.500000000000000000000000s", 1'500'000'000},  // trailing zeros carry nothing
      {"m", 60'000'000'000},
      {"1min", 60'000'000'000},
      {"2minutes", 120'000'000'000},
      {"1h", 3'600'000'000'000},
      {"hour", 3'600'000'000'000},
      {"0.5h", 1'800'000'000'000},
      {"1d", 86'400'000'000'000},
      {"2weeks", 1'209'600'000'000'000},
      {"0.0000001w", 60'480'000},  // 604,800 s * 1e-7
      {"0s", 0},
      {"0007s", 7'000'000'000},
      {"9223372036854775807ns", std::numeric_limits<std::int64_t>::max()},
      {"9223372036.854775807s", std::numeric_limits<std::int64_t>::max()},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(parse_duration(row.text) == Duration{row.nanoseconds});
  }
}

TEST_CASE("duration: what it is not is told apart") {
  struct Row {
    std::string_view text;
    DurationFault fault;
  };
  constexpr Row kRows[] = {
      {"", DurationFault::kSyntax},
      {"5", DurationFault::kSyntax},
      {"1.s", DurationFault::kSyntax},
      {".5s", DurationFault::kUnit},
      {"-1s", DurationFault::kUnit},
      {"1 s", DurationFault::kUnit},
      {"1S", DurationFault::kUnit},
      {"1M", DurationFault::kUnit},
      {"300y", DurationFault::kUnit},
      {"1sx", DurationFault::kUnit},
      {"1.2.3s", DurationFault::kUnit},
      {"1e3s", DurationFault::kUnit},
      {"0.1ns", DurationFault::kFraction},
      {"1.0000000001s", DurationFault::kFraction},
      {"0.00000000000000000001w", DurationFault::kFraction},
      {"9223372036854775808ns", DurationFault::kRange},
      {"9223372036.854775808s", DurationFault::kRange},
      {"15251w", DurationFault::kRange},
      {"99999999999999999999999999999999999999999999999w", DurationFault::kRange},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const auto result = read_duration(row.text);
    REQUIRE(std::holds_alternative<DurationFault>(result));
    CHECK(std::get<DurationFault>(result) == row.fault);
    CHECK(parse_duration(row.text) == std::nullopt);
  }
}

TEST_CASE("duration: written in the largest unit that divides it") {
  using namespace std::chrono_literals;
  CHECK(duration_text(0ns) == "0s");
  CHECK(duration_text(1s) == "1s");
  CHECK(duration_text(60s) == "1m");
  CHECK(duration_text(90s) == "90s");
  CHECK(duration_text(3600s) == "1h");
  CHECK(duration_text(24h) == "1d");
  CHECK(duration_text(7 * 24h) == "1w");
  CHECK(duration_text(1500ms) == "1500ms");
  CHECK(duration_text(Duration::max()) == "9223372036854775807ns");
}

TEST_CASE("duration: any that is not negative parses to itself") {
  CHECK(rc::check([] {
    // Whole multiples of a power of ten reach every unit.
    const auto digits = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
    std::int64_t value = digits;
    for (int zeros = *rc::gen::inRange(0, 12); zeros > 0; --zeros) value *= 10;
    RC_ASSERT(parse_duration(duration_text(Duration{value})) == Duration{value});
  }));
}

}  // namespace ratereplay
