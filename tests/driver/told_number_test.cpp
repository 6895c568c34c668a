// SPDX-License-Identifier: Apache-2.0
#include "driver/told_number.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string_view>

namespace ratereplay {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST_CASE("told numbers: what was computed in doubles comes back, fractions go up or down") {
  struct Row {
    std::string_view json;
    std::optional<std::int64_t> up;
    std::optional<std::int64_t> down;
  };
  const Row rows[] = {
      {"0", 0, 0},
      {"-0", 0, 0},
      {"950", 950, 950},
      {"950.0", 950, 950},
      {"950.0000000001", 950, 950},
      {"949.9999999999", 950, 950},
      {"333.333333333333", 334, 333},
      {"0.000001", 1, 0},
      {"0.0000005", 1, 0},   // the sixth decimal, rounded half up
      {"0.00000049", 0, 0},  // and below
      {"-1.5", -1, -2},
      {"1e3", 1000, 1000},
      {"1.5E+3", 1500, 1500},
      {"15e-1", 2, 1},
      {"1e-300", 0, 0},
      {"9223372036854775807", kMost, kMost},
      {"9223372036854775806.5", kMost, kMost - 1},
      {"9223372036854775807.5", std::nullopt, kMost},
      {"-9223372036854775808", kLeast, kLeast},
      {"9223372036854775808", std::nullopt, std::nullopt},
      {"1e400", std::nullopt, std::nullopt},
      {"1e99999999999999999999", std::nullopt, std::nullopt},
      {"0e99999999999999999999", 0, 0},
      {"1e-99999999999999999999", 0, 0},
      {"00000000000000000000000000000000000000000007", 7, 7},
      {"0.00000000000000000000000000000000000000000007", 0, 0},
      {"123456789012345678901234567890", std::nullopt, std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    CHECK(whole_number(row.json, Toward::kUp) == row.up);
    CHECK(whole_number(row.json, Toward::kDown) == row.down);
  }
}

}  // namespace
}  // namespace ratereplay
