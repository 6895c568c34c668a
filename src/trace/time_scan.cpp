// SPDX-License-Identifier: Apache-2.0
#include "trace/time_scan.hpp"

#include <limits>

#include "trace/time_cursor.hpp"

namespace ratereplay {
namespace {

using What = TimeFault::What;

TimeFault fault(What what) noexcept { return {what, 0, 0, 0}; }

/// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction`.
bool time_of_day(TimeCursor& cursor, std::size_t hour_digits, Civil& civil) noexcept {
  if (!cursor.digits(hour_digits, 2, civil.hour)) return false;
  if (!cursor.take(':') || !cursor.digits(2, 2, civil.minute)) return false;
  if (!cursor.take(':')) return true;
  if (!cursor.digits(2, 2, civil.second)) return false;
  cursor.point_fraction(civil.nanos);
  return true;
}

/// What may stand after a time of day: nothing, or a zone.
TimeFault zone(TimeCursor& cursor, Civil& civil) noexcept {
  cursor.blanks();
  if (cursor.done()) return {};
  bool valid = true;
  civil.has_zone = true;
  if (cursor.offset(civil.offset, valid)) {
    if (!valid) return fault(What::kOffset);
    // Go prints `+0000 UTC m=+0.5`, mail `-0500 (EST)`: the offset decides.
    cursor.blanks();
    if (cursor.take('(')) {
      while (!cursor.done() && !cursor.take(')')) cursor.take(cursor.peek());
    } else {
      while (cursor.peek() >= 'A' && cursor.peek() <= 'Z') cursor.take(cursor.peek());
      cursor.blanks();
      if (cursor.take_word("m=")) return {};
    }
  } else if (!cursor.take_word("UTC") && !cursor.take_word("GMT") && !cursor.take_word("Z")) {
    const char next = cursor.peek();
    const bool letter = (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z');
    return fault(letter ? What::kZoneName : What::kTextAfter);
  }
  cursor.blanks();
  return cursor.done() ? TimeFault{} : fault(What::kTextAfter);
}

/// What follows the year of `20260102T030405.678Z`: every part has two digits.
TimeFault basic(TimeCursor& cursor, Civil& civil) noexcept {
  if (!cursor.digits(2, 2, civil.month) || !cursor.digits(2, 2, civil.day)) {
    return fault(What::kShape);
  }
  if (const TimeFault date = check_date(civil.year, civil.month, civil.day); !date.none()) {
    return date;
  }
  if (cursor.done()) return fault(What::kNoTimeOfDay);
  if (!cursor.take_any("Tt ") || !cursor.digits(2, 2, civil.hour)) return fault(What::kShape);
  const bool colons = cursor.take(':');
  if (!cursor.digits(2, 2, civil.minute)) return fault(What::kShape);
  if ((!colons || cursor.take(':')) && cursor.digits(2, 2, civil.second)) {
    cursor.point_fraction(civil.nanos);
  }
  return zone(cursor, civil);
}

/// A year of four digits with a blank or nothing behind it.
bool year(TimeCursor& cursor, Civil& civil) noexcept {
  TimeCursor ahead = cursor;
  if (!ahead.digits(4, 4, civil.year) || !(ahead.blanks() || ahead.done())) return false;
  civil.has_year = true;
  cursor = ahead;
  return true;
}

/// The text between brackets, if it stands in such.
TimeFault unbracket(TimeCursor& cursor) noexcept {
  if (!cursor.take('[')) return {};
  const std::size_t close = cursor.rest().rfind(']');
  if (close == std::string_view::npos) return fault(What::kShape);
  const std::string_view after = cursor.rest().substr(close + 1);
  if (after.find_first_not_of(" \t") != std::string_view::npos) return fault(What::kTextAfter);
  cursor = TimeCursor(cursor.rest().substr(0, close));
  return {};
}

}  // namespace

TimeFault scan_iso(std::string_view text, Civil& civil) noexcept {
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  TimeCursor clock = cursor;
  if (time_of_day(clock, 1, civil)) {
    clock.blanks();
    return fault(clock.done() ? What::kNoDate : What::kShape);
  }
  if (!cursor.digits(4, 4, civil.year)) return fault(What::kShape);
  const char separator = cursor.peek();
  if (separator >= '0' && separator <= '9') return basic(cursor, civil);
  if (!cursor.take_any("-/") || !cursor.digits(2, 2, civil.month) || !cursor.take(separator) ||
      !cursor.digits(2, 2, civil.day)) {
    return fault(What::kShape);
  }
  if (const TimeFault date = check_date(civil.year, civil.month, civil.day); !date.none()) {
    return date;
  }
  if (cursor.done()) return fault(What::kNoTimeOfDay);
  if (!cursor.take_any("Tt ")) return fault(What::kShape);
  cursor.blanks();
  if (cursor.done()) return fault(What::kNoTimeOfDay);
  if (!time_of_day(cursor, 2, civil)) return fault(What::kShape);
  return zone(cursor, civil);
}

TimeFault scan_clf(std::string_view text, Civil& civil) noexcept {
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  if (const TimeFault wrong = unbracket(cursor); !wrong.none()) return wrong;
  int month = 0;
  if (!cursor.digits(1, 2, civil.day) || !cursor.take('/') || !cursor.name(kMonthNames, month) ||
      !cursor.take('/') || !cursor.digits(4, 4, civil.year)) {
    return fault(What::kShape);
  }
  civil.month = month + 1;
  if (const TimeFault date = check_date(civil.year, civil.month, civil.day); !date.none()) {
    return date;
  }
  if (cursor.done()) return fault(What::kNoTimeOfDay);
  if (!cursor.take_any(": ") || !time_of_day(cursor, 2, civil)) return fault(What::kShape);
  return zone(cursor, civil);
}

TimeFault scan_rfc2822(std::string_view text, Civil& civil) noexcept {
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  int ignored = 0;
  if (cursor.name(kDayNames, ignored)) {
    cursor.take(',');
    cursor.blanks();
  }
  int month = 0;
  // HTTP dates of old write 02-Jan-2026.
  if (!cursor.digits(1, 2, civil.day) || !(cursor.blanks() || cursor.take('-')) ||
      !cursor.name(kMonthNames, month) || !(cursor.blanks() || cursor.take('-')) ||
      !cursor.digits(4, 4, civil.year)) {
    return fault(What::kShape);
  }
  civil.month = month + 1;
  if (const TimeFault date = check_date(civil.year, civil.month, civil.day); !date.none()) {
    return date;
  }
  const bool apart = cursor.blanks();
  if (cursor.done()) return fault(What::kNoTimeOfDay);
  if (!apart || !time_of_day(cursor, 1, civil)) return fault(What::kShape);
  return zone(cursor, civil);
}

TimeFault scan_ctime(std::string_view text, Civil& civil) noexcept {
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  if (const TimeFault wrong = unbracket(cursor); !wrong.none()) return wrong;
  int name = 0;
  if (cursor.name(kDayNames, name)) {
    cursor.take(',');
    cursor.blanks();
  }
  civil.has_year = false;
  year(cursor, civil);
  if (!cursor.name(kMonthNames, name) || !cursor.blanks() || !cursor.digits(1, 2, civil.day)) {
    return fault(What::kShape);
  }
  civil.month = name + 1;
  const bool apart = cursor.blanks();
  if (cursor.done()) return fault(What::kNoTimeOfDay);
  if (!apart) return fault(What::kShape);
  if (!civil.has_year) year(cursor, civil);
  if (!time_of_day(cursor, 2, civil)) return fault(What::kShape);
  cursor.blanks();
  if (!civil.has_year && !year(cursor, civil)) {
    // date(1) puts the zone before the year.
    const std::string_view rest = cursor.rest();
    const std::size_t last = rest.find_last_of(' ');
    if (last != rest.npos) {
      TimeCursor ahead(rest.substr(last + 1));
      if (year(ahead, civil)) cursor = TimeCursor(rest.substr(0, last));
    }
  }
  return zone(cursor, civil);
}

TimeFault scan_number(std::string_view text, int unit_digits, std::int64_t& nanos) noexcept {
  __extension__ using Wide = unsigned __int128;
  constexpr int kKept = 30;  // significant digits; 10^38 fits Wide
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  const bool negative = cursor.peek() == '-';
  cursor.take_any("+-");
  Wide mantissa = 0;
  int kept = 0;
  int exponent = unit_digits;
  bool any = false;
  bool rest = false;  // a digit that was not kept is not 0
  bool fraction = false;
  for (;; cursor.take(cursor.peek())) {
    const char c = cursor.peek();
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (fraction) --exponent;
    if (kept == kKept) {
      rest = rest || c != '0';
      ++exponent;
      continue;
    }
    mantissa = mantissa * 10 + static_cast<unsigned>(c - '0');
    if (mantissa != 0) ++kept;
  }
  if (!any) return fault(What::kShape);
  if (cursor.take_any("eE")) {
    const bool small = cursor.peek() == '-';
    cursor.take_any("+-");
    int power = 0;
    int more = 0;
    if (!cursor.digits(1, 6, power)) return fault(What::kShape);
    while (cursor.digits(1, 6, more)) power = 999'999;
    exponent += small ? -power : power;
  }
  cursor.blanks();
  if (!cursor.done()) return fault(What::kShape);

  constexpr auto kMost = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
  const TimeFault outside = fault(negative ? What::kTooEarly : What::kTooLate);
  if (mantissa == 0) exponent = 0;
  for (; exponent > 0; --exponent) {
    if (mantissa > kMost + 1) return outside;
    mantissa *= 10;
  }
  if (exponent < -38) {
    mantissa = 0;
  } else if (exponent < 0) {
    Wide divisor = 1;
    for (; exponent < 0; ++exponent) divisor *= 10;
    const Wide left = mantissa % divisor;
    mantissa /= divisor;
    // Half up means towards later: exactly half rounds up above zero, and down in size below.
    const bool half = left == divisor / 2;
    if (half ? (!negative || rest) : left > divisor / 2) ++mantissa;
  }
  if (mantissa > kMost + (negative ? 1 : 0)) return outside;
  const auto size = static_cast<std::uint64_t>(mantissa);
  nanos = static_cast<std::int64_t>(negative ? 0 - size : size);
  return {};
}

}  // namespace ratereplay
