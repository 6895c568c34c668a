// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ratereplay {

/// What is wrong with the text of an instant. Small, so that a bad row costs no allocation.
struct TimeFault {
  enum class What : std::uint8_t {
    kNone,
    kEmpty,
    kShape,        ///< not written in the style of the file
    kNoDate,       ///< a time of day alone
    kNoTimeOfDay,  ///< a date alone
    kMonth,        ///< `number` is no month
    kDay,          ///< `number` is no day of `month` in `year`
    kDayOfYear,    ///< `number` is no day of `year`
    kHour,         ///< `number` is above 23
    kTwelveHour,   ///< `number` is not 1 to 12
    kMinute,       ///< `number` is above 59
    kSecond,       ///< `number` is above 60
    kNoYear,       ///< a date without a year
    kSkipped,      ///< the clocks of the zone were put forward over it
    kOffset,       ///< an offset from UTC of 24 hours or more, or of 60 minutes
    kZoneName,     ///< a zone named other than UTC and GMT
    kTextAfter,    ///< something follows
    kTooEarly,     ///< before 1677-09-21
    kTooLate,      ///< beyond 2262-04-11
  };
  What what = What::kNone;
  std::uint8_t month = 0;
  std::int16_t year = 0;
  std::int32_t number = 0;

  [[nodiscard]] bool none() const noexcept { return what == What::kNone; }
  /// For people. `style` says how the file writes its times ("an RFC 3339 time").
  [[nodiscard]] std::string reason(std::string_view style) const;
};

inline constexpr std::array<std::string_view, 12> kMonthNames = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
inline constexpr std::array<std::string_view, 7> kDayNames = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/// An instant as written. 24:00:00 is the start of the next day, and second 60 (a leap second) the
/// first of the next minute.
struct Civil {
  int year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int32_t nanos = 0;   ///< to 1,000,000,000: a fraction may round up to a second
  std::int32_t offset = 0;  ///< seconds east of UTC, with `has_zone`
  bool has_zone = false;
  bool has_year = true;
  std::optional<std::int64_t> epoch;  ///< seconds since the epoch, in place of date and clock
};

/// The twelve months in which stamps without a year lie: those that begin on that day.
struct YearWindow {
  int year = 1970;
  int month = 1;
  int day = 1;

  [[nodiscard]] int year_of(int month_of, int day_of) const noexcept {
    return month_of > month || (month_of == month && day_of >= day) ? year : year + 1;
  }
  friend bool operator==(const YearWindow&, const YearWindow&) = default;
};

[[nodiscard]] bool is_leap(int year) noexcept;
[[nodiscard]] int days_in(int month, int year) noexcept;
/// Days from 1970-01-01; the date must exist.
[[nodiscard]] std::int64_t day_number(int year, int month, int day) noexcept;

[[nodiscard]] TimeFault check_date(int year, int month, int day) noexcept;

/// What the clock on the wall shows, as seconds since its own 1970.
[[nodiscard]] TimeFault wall_seconds(const Civil& civil, std::int64_t& seconds) noexcept;

/// Seconds and nanoseconds (0 to 10^9) to nanoseconds.
[[nodiscard]] TimeFault join_seconds(std::int64_t seconds, std::int64_t nanos,
                                     std::int64_t& out) noexcept;

}  // namespace ratereplay
