// SPDX-License-Identifier: Apache-2.0
#include "report/number_text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "report/near_numbers.hpp"

namespace ratereplay {
namespace {

std::string ms(std::int64_t nanoseconds) { return ms_text(Duration{nanoseconds}); }

std::string count(std::uint64_t value) {
  std::array<char, kNumberBytes> buffer{};
  return {buffer.data(), write_count(buffer.data(), value)};
}

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("milliseconds have as many digits as they need and no exponent") {
  const std::pair<std::int64_t, const char*> table[] = {
      {0, "0"},
      {1, "0.000001"},
      {10, "0.00001"},
      {100'000, "0.1"},
      {999'999, "0.999999"},
      {1'000'000, "1"},
      {1'000'001, "1.000001"},
      {950'000'000, "950"},
      {1'234'500'000, "1234.5"},
      {-1, "-0.000001"},
      {-1'500'000, "-1.5"},
      {1'755'734'401'052'000'000, "1755734401052"},
      {kMost, "9223372036854.775807"},
      {kLeast, "-9223372036854.775808"},
  };
  for (const auto& [nanoseconds, text] : table) {
    CHECK(ms(nanoseconds) == text);
    CHECK(parse_ms(text) == nanoseconds);
  }
}

TEST_CASE("every number of nanoseconds comes back from its text") {
  CHECK(rc::check(
      [](std::int64_t nanoseconds) { RC_ASSERT(parse_ms(ms(nanoseconds)) == nanoseconds); }));
  CHECK(rc::check([](std::int16_t small) {
    RC_ASSERT(parse_ms(ms(small)) == std::int64_t{small});
    const std::int64_t scaled = std::int64_t{small} * 1'000;
    RC_ASSERT(parse_ms(ms(scaled)) == scaled);
  }));
}

TEST_CASE("numbers that are near to each other have the same texts as any") {
  std::vector<std::uint64_t> values = {0, 1, 9, 10, 99, 100, 999, 1000, 1001, ~std::uint64_t{0}};
  for (std::uint64_t power = 1; power <= 1'000'000'000'000'000'000; power *= 10) {
    for (const std::uint64_t offset : {0U, 1U, 999U, 1000U}) {
      values.insert(values.end(), {power - 1 + offset, power + offset, 9 * power + offset});
      if (power == 1'000'000'000'000'000'000) break;
      if (power > offset) values.push_back(power - offset);
    }
    if (power == 1'000'000'000'000'000'000) break;
  }
  std::mt19937_64 random(3);
  std::uint64_t walk = 1'767'225'600'000'000'000;
  for (int i = 0; i < 20'000; ++i) {
    walk += random() % 3 * (random() % 5 == 0 ? 1'000'000'000 : 1'000'000) + random() % 2;
    values.push_back(walk);
    values.push_back(random() >> random() % 64);
    values.push_back(static_cast<std::uint64_t>(i) * 100);
  }
  NearNumbers numbers;
  const auto text = [](auto write) {
    std::array<char, kNumberBytes> buffer{};
    return std::string(buffer.data(), write(buffer.data()));
  };
  bool same = true;
  for (const std::uint64_t value : values) {
    const std::string expected = count(value);
    same &= text([&](char* out) { return NearNumbers::count(out, value); }) == expected;
    same &= text([&](char* out) { return numbers.near_count(out, value); }) == expected;
    const auto signed_value = static_cast<std::int64_t>(value);
    for (const std::int64_t at : {signed_value, -(signed_value / 2)}) {
      same &= text([&](char* out) { return numbers.ms(out, at); }) == ms(at);
    }
  }
  CHECK(same);
}

TEST_CASE("what is not exact milliseconds of 64 bits is not parsed") {
  for (const char* text :
       {"", "-", ".5", "1.", "1.0000001", "1e3", "+1", " 1", "1 ", "1,0", "--1", "0x10", "1.2.3",
        "9223372036854.775808", "-9223372036854.775809", "99999999999999999999999999", "nan"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_ms(text));
  }
}

TEST_CASE("counts are written like std::to_string") {
  std::uint64_t power = 1;
  for (int i = 0; i < 20; ++i, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      CHECK(count(value) == std::to_string(value));
    }
  }
  CHECK(count(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(rc::check([](std::uint64_t value, std::uint8_t shift) {
    const std::uint64_t smaller = value >> (shift % 64);
    RC_ASSERT(count(smaller) == std::to_string(smaller));
  }));
}

TEST_CASE("wide counts pass 64 bits") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(~Digits{0}) == "340282366920938463463374607431768211455");
  CHECK(parse_digits("340282366920938463463374607431768211455") == ~Digits{0});
  CHECK_FALSE(parse_digits("340282366920938463463374607431768211456"));
  CHECK_FALSE(parse_digits(""));
  CHECK_FALSE(parse_digits("1a"));
}

TEST_CASE("counts for reading are grouped by thousands or shortened") {
  CHECK(grouped_text(0) == "0");
  CHECK(grouped_text(999) == "999");
  CHECK(grouped_text(1000) == "1,000");
  CHECK(grouped_text(60506) == "60,506");
  CHECK(grouped_text(18'446'744'073'709'551'615U) == "18,446,744,073,709,551,615");
  CHECK(compact_text(99'999) == "99,999");
  CHECK(compact_text(100'000) == "100.0k");
  CHECK(compact_text(999'949) == "999.9k");
  CHECK(compact_text(999'950) == "1.0M");
  CHECK(compact_text(18'446'744'073'709'551'615U) == "18.4E");
}

TEST_CASE("ratios are rounded half up from integers") {
  CHECK(ratio_text({4252, 64973}) == "0.0654");
  CHECK(ratio_text({7, 241}) == "0.0290");
  CHECK(ratio_text({1, 1}) == "1.0000");
  CHECK(ratio_text({0, 5}) == "0.0000");
  CHECK(ratio_text({1, 20000}) == "0.0001");  // 0.00005, the half
  CHECK(ratio_text({1, 20001}) == "0.0000");
  CHECK(ratio_text({2, 3}) == "0.6667");
  CHECK(ratio_text({1, 3}) == "0.3333");
  CHECK(ratio_text({1, 2}, 0) == "1");
  CHECK_FALSE(ratio_text({0, 0}));
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  CHECK(ratio_text({kAll, kAll}, 18) == "1.000000000000000000");
  CHECK(percent_text({62034, 64973}) == "95.48");
  CHECK(percent_text({1, 20000}) == "0.01");
  CHECK(percent_text({kAll, kAll}) == "100.00");
  CHECK(percent_text({0, 0}) == "-");
}

TEST_CASE("sizes are shown in the unit that keeps them short") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1024) == "1.0 KiB");
  CHECK(bytes_text(5784) == "5.6 KiB");
  CHECK(bytes_text(57840) == "56.5 KiB");
  CHECK(bytes_text(102399) == "100 KiB");
  CHECK(bytes_text(1048575) == "1.0 MiB");
  CHECK(bytes_text(24'000'000) == "22.9 MiB");
  CHECK(bytes_text(Digits{1} << 64) == "16.0 EiB");
  CHECK(bytes_text(~Digits{0}) == ">1023 YiB");
}

TEST_CASE("durations for reading are rounded to two or three digits") {
  const std::pair<std::int64_t, const char*> table[] = {
      {0, "0"},
      {1, "1 ns"},
      {999, "999 ns"},
      {1'000, "1 us"},
      {1'500, "1.5 us"},
      {41'000'000, "41 ms"},
      {875'400'000, "875 ms"},
      {9'940'000, "9.9 ms"},
      {9'960'000, "10 ms"},
      {999'500'000, "1 s"},
      {1'200'000'000, "1.2 s"},
      {59'949'000'000, "59.9 s"},
      {59'960'000'000, "1m00s"},
      {600'000'000'000, "10m00s"},
      {3'599'600'000'000, "1h00m"},
      {18'180'000'000'000, "5h03m"},
      {273'600'000'000'000, "3d04h"},
      {kMost, "106751d"},
      {kLeast, "-106751d"},
      {-1'200'000'000, "-1.2 s"},
  };
  for (const auto& [nanoseconds, text] : table) {
    CHECK(span_text(Duration{nanoseconds}) == text);
  }
  CHECK(span_text(Instant::min(), Instant::max()) == "213503d");
  CHECK(span_text(Instant::min(), Instant::min()) == "0");
  CHECK(span_text(Instant{Duration{-1}}, Instant{Duration{1}}) == "2 ns");
}

}  // namespace ratereplay
