// SPDX-License-Identifier: Apache-2.0
#include "trace/civil.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

namespace ratereplay {

std::string TimeFault::reason(std::string_view style) const {
  switch (what) {
    case What::kNone:
      return {};
    case What::kEmpty:
      return "the time is empty";
    case What::kShape:
      return fmt::format("not {}", style);
    case What::kNoDate:
      return "a time of day without a date";
    case What::kNoTimeOfDay:
      return "a date without a time of day";
    case What::kMonth:
      return fmt::format("month {} does not exist", number);
    case What::kDay:
      if (number < 1 || number > 31) return fmt::format("day {} does not exist", number);
      if (month == 2 && number == 29) {
        return fmt::format("day 29 does not exist in February {:04}", year);
      }
      return fmt::format("day {} does not exist in {}", number, kMonthNames[month - 1U]);
    case What::kDayOfYear:
      return fmt::format("day {} does not exist in {:04}", number, year);
    case What::kHour:
      return fmt::format("hour {} does not exist", number);
    case What::kTwelveHour:
      return fmt::format("hour {} does not exist on a 12-hour clock", number);
    case What::kMinute:
      return fmt::format("minute {} does not exist", number);
    case What::kSecond:
      return fmt::format("second {} does not exist", number);
    case What::kNoYear:
      return "a time without a year; --year says which";
    case What::kSkipped:
      return "a time that the clocks of the zone were put forward over";
    case What::kOffset:
      return "the offset from UTC does not exist";
    case What::kZoneName:
      return "a zone must be UTC, GMT or an offset like +01:00";
    case What::kTextAfter:
      return "text follows the time";
    case What::kTooEarly:
      return "before 1677-09-21, the first day that can be held";
    case What::kTooLate:
      return "beyond 2262-04-11, the last day that can be held";
  }
  return {};
}

bool is_leap(int year) noexcept { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(int month, int year) noexcept {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

std::int64_t day_number(int year, int month, int day) noexcept {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year},
                            std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  return sys_days{date}.time_since_epoch().count();
}

TimeFault check_date(int year, int month, int day) noexcept {
  const auto year16 = static_cast<std::int16_t>(year);
  if (month < 1 || month > 12) return {TimeFault::What::kMonth, 0, year16, month};
  if (day < 1 || day > days_in(month, year)) {
    return {TimeFault::What::kDay, static_cast<std::uint8_t>(month), year16, day};
  }
  return {};
}

TimeFault join_seconds(std::int64_t seconds, std::int64_t nanos, std::int64_t& out) noexcept {
  __extension__ using Wide = __int128;
  const Wide wide = Wide{seconds} * 1'000'000'000 + nanos;
  if (wide < std::numeric_limits<std::int64_t>::min()) return {TimeFault::What::kTooEarly, 0, 0, 0};
  if (wide > std::numeric_limits<std::int64_t>::max()) return {TimeFault::What::kTooLate, 0, 0, 0};
  out = static_cast<std::int64_t>(wide);
  return {};
}

TimeFault wall_seconds(const Civil& civil, std::int64_t& seconds) noexcept {
  if (const TimeFault fault = check_date(civil.year, civil.month, civil.day); !fault.none()) {
    return fault;
  }
  const bool end_of_day =
      civil.hour == 24 && civil.minute == 0 && civil.second == 0 && civil.nanos == 0;
  if (civil.hour > 23 && !end_of_day) return {TimeFault::What::kHour, 0, 0, civil.hour};
  if (civil.minute > 59) return {TimeFault::What::kMinute, 0, 0, civil.minute};
  if (civil.second > 60) return {TimeFault::What::kSecond, 0, 0, civil.second};
  seconds = day_number(civil.year, civil.month, civil.day) * 86'400 +
            std::int64_t{civil.hour} * 3'600 + civil.minute * 60 + civil.second;
  return {};
}

}  // namespace ratereplay
