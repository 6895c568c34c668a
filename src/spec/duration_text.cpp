// SPDX-License-Identifier: Apache-2.0
#include "spec/duration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "error.hpp"

namespace ratereplay {
namespace {

__extension__ typedef unsigned __int128 Wide;

struct Unit {
  std::string_view symbol;
  std::int64_t nanoseconds;
  std::array<std::string_view, 5> other_names;
};

constexpr std::array<Unit, 8> kUnits{{
    {"w", 604'800'000'000'000, {"week", "weeks"}},
    {"d", 86'400'000'000'000, {"day", "days"}},
    {"h", 3'600'000'000'000, {"hour", "hours", "hr", "hrs"}},
    {"m", 60'000'000'000, {"min", "mins", "minute", "minutes"}},
    {"s", 1'000'000'000, {"sec", "secs", "second", "seconds"}},
    {"ms", 1'000'000, {"milli", "millis", "millisecond", "milliseconds"}},
    {"us", 1'000, {"micro", "micros", "microsecond", "microseconds"}},
    {"ns", 1, {"nano", "nanos", "nanosecond", "nanoseconds"}},
}};

constexpr Wide kGreatest = std::numeric_limits<std::int64_t>::max();

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.symbol == name || std::ranges::find(unit.other_names, name) != unit.other_names.end())
      return &unit;
  }
  return nullptr;
}

/// Splits the leading digits off.
std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

/// The value of digits, or kGreatest + 1 when it is more than kGreatest.
Wide whole(std::string_view digits) {
  Wide value = 0;
  for (const char digit : digits) {
    value = value * 10 + static_cast<unsigned>(digit - '0');
    if (value > kGreatest) return kGreatest + 1;
  }
  return value;
}

}  // namespace

std::variant<Duration, DurationFault> read_duration(std::string_view text) {
  std::string_view number = take_digits(text);
  const bool bare = number.empty();
  std::string_view fraction;
  if (!bare && text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty()) return DurationFault::kSyntax;
  }
  if (text.empty()) return DurationFault::kSyntax;
  const Unit* unit = find_unit(text);
  if (unit == nullptr) return DurationFault::kUnit;
  const Wide scale = static_cast<Wide>(unit->nanoseconds);
  Wide total = (bare ? 1 : whole(number)) * scale;  // < 2^64 * 2^50
  if (total > kGreatest) return DurationFault::kRange;
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  // A unit has at most 20 factors of 2, so a fraction with more digits leaves a rest.
  if (fraction.size() > 18) return DurationFault::kFraction;
  Wide power = 1;
  for (std::size_t i = 0; i < fraction.size(); ++i) power *= 10;
  const Wide part = whole(fraction) * scale;  // < 10^18 * 2^50
  if (part % power != 0) return DurationFault::kFraction;
  total += part / power;
  if (total > kGreatest) return DurationFault::kRange;
  return Duration{static_cast<std::int64_t>(total)};
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto result = read_duration(text);
  if (const Duration* duration = std::get_if<Duration>(&result)) return *duration;
  return std::nullopt;
}

std::string duration_text(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  const auto unit = std::ranges::find_if(
      kUnits, [&](const Unit& candidate) { return count % candidate.nanoseconds == 0; });
  return fmt::format("{}{}", count / unit->nanoseconds, unit->symbol);
}

Duration need_duration(const char* flag, const std::string& text) {
  const std::optional<Duration> duration = parse_duration(text);
  if (duration && duration->count() > 0) return *duration;
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: not a duration above 0", flag, text),
              {"write a number and a unit: 1ms, 10s, 1h (ns us ms s m h d w)"});
}

}  // namespace ratereplay
