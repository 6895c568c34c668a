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
  if (cursor.offset(civil.offset, valid)) {
    if (!valid) return fault(What::kOffset);
    // Go prints `+0000 UTC`, mail `-0500 (EST)`: the offset decides.
    cursor.blanks();
    if (cursor.take('(')) {
      while (!cursor.done() && !cursor.take(')')) cursor.take(cursor.peek());
    } else {
      while (cursor.peek() >= 'A' && cursor.peek() <= 'Z') cursor.take(cursor.peek());
    }
  } else if (!cursor.take_word("UTC") && !cursor.take_word("GMT") && !cursor.take_word("Z")) {
    const char next = cursor.peek();
    const bool letter = (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z');
    return fault(letter ? What::kZoneName : What::kTextAfter);
  }
  cursor.blanks();
  return cursor.done() ? TimeFault{} : fault(What::kTextAfter);
}

}  // namespace

TimeFault scan_iso(std::string_view text, std::int64_t& nanos) noexcept {
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  Civil civil;
  TimeCursor clock = cursor;
  if (time_of_day(clock, 1, civil)) {
    clock.blanks();
    return fault(clock.done() ? What::kNoDate : What::kShape);
  }
  if (!cursor.digits(4, 4, civil.year)) return fault(What::kShape);
  const char separator = cursor.peek();
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
  if (const TimeFault after = zone(cursor, civil); !after.none()) return after;
  return to_nanos(civil, nanos);
}

TimeFault scan_clf(std::string_view text, std::int64_t& nanos) noexcept {
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  if (cursor.take('[')) {
    const std::size_t close = cursor.rest().rfind(']');
    if (close == std::string_view::npos) return fault(What::kShape);
    const std::string_view after = cursor.rest().substr(close + 1);
    if (after.find_first_not_of(" \t") != std::string_view::npos) return fault(What::kTextAfter);
    cursor = TimeCursor(cursor.rest().substr(0, close));
  }
  Civil civil;
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
  if (const TimeFault after = zone(cursor, civil); !after.none()) return after;
  return to_nanos(civil, nanos);
}

TimeFault scan_rfc2822(std::string_view text, std::int64_t& nanos) noexcept {
  TimeCursor cursor(text);
  cursor.blanks();
  if (cursor.done()) return fault(What::kEmpty);
  int ignored = 0;
  if (cursor.name(kDayNames, ignored)) {
    cursor.take(',');
    cursor.blanks();
  }
  Civil civil;
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
  if (const TimeFault after = zone(cursor, civil); !after.none()) return after;
  return to_nanos(civil, nanos);
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
