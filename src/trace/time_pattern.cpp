// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "trace/time_cursor.hpp"
#include "trace/time_scan.hpp"

namespace ratereplay {
namespace {

using What = TimeFault::What;

TimeFault fault(What what, int number = 0) noexcept { return {what, 0, 0, number}; }

/// What %T and the like stand for; empty for a conversion of its own.
std::string_view spelled_out(char conversion) noexcept {
  switch (conversion) {
    case 'T':
      return "%H:%M:%S";
    case 'R':
      return "%H:%M";
    case 'D':
      return "%m/%d/%y";
    case 'F':
      return "%Y-%m-%d";
    default:
      return {};
  }
}

/// One run over a text, guided by the pattern.
class PatternRun {
 public:
  PatternRun(std::string_view text, Civil& civil) noexcept : cursor_(text), civil_(civil) {}

  /// `follows` is what stands behind a pattern that is part of another.
  TimeFault match(std::string_view pattern, std::string_view follows = {}) noexcept {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const char c = pattern[i];
      if (c == ' ' || c == '\t') {
        cursor_.blanks();
      } else if (c != '%') {
        if (!cursor_.take(c)) return fault(What::kShape);
      } else {
        const std::string_view after = i + 2 < pattern.size() ? pattern.substr(i + 2) : follows;
        const char conversion = pattern[++i];
        const std::string_view parts = spelled_out(conversion);
        const TimeFault wrong = parts.empty() ? convert(conversion, after) : match(parts, after);
        if (!wrong.none()) return wrong;
      }
    }
    return {};
  }

  TimeFault finish() noexcept {
    cursor_.blanks();
    if (!cursor_.done()) return fault(What::kTextAfter);
    if (civil_.epoch) return {};
    if (afternoon_) {
      if (civil_.hour < 1 || civil_.hour > 12) return fault(What::kTwelveHour, civil_.hour);
      civil_.hour = civil_.hour % 12 + (*afternoon_ ? 12 : 0);
    }
    if (day_of_year_) {
      int day = *day_of_year_;
      if (day < 1 || day > (is_leap(civil_.year) ? 366 : 365)) {
        return {What::kDayOfYear, 0, static_cast<std::int16_t>(civil_.year), day};
      }
      for (civil_.month = 1; day > days_in(civil_.month, civil_.year); ++civil_.month) {
        day -= days_in(civil_.month, civil_.year);
      }
      civil_.day = day;
    }
    return {};
  }

 private:
  TimeFault number(std::size_t least, std::size_t most, int& value) noexcept {
    return cursor_.digits(least, most, value) ? TimeFault{} : fault(What::kShape);
  }

  /// A fraction where the pattern has none of its own.
  void tail(std::string_view after) noexcept {
    if (!after.starts_with('.') && !after.starts_with(',')) {
      cursor_.point_fraction(civil_.nanos);
    }
  }

  TimeFault convert(char conversion, std::string_view after) noexcept {
    int value = 0;
    switch (conversion) {
      case 'Y':
        civil_.has_year = true;
        return number(4, 4, civil_.year);
      case 'y': {
        const TimeFault wrong = number(2, 2, value);
        civil_.has_year = true;
        civil_.year = value + (value < 69 ? 2000 : 1900);
        return wrong;
      }
      case 'm':
        return number(1, 2, civil_.month);
      case 'd':
      case 'e':
        cursor_.blanks();
        return number(1, 2, civil_.day);
      case 'j': {
        const TimeFault wrong = number(1, 3, value);
        day_of_year_ = value;
        return wrong;
      }
      case 'H':
      case 'I':
        return number(1, 2, civil_.hour);
      case 'M':
        return number(1, 2, civil_.minute);
      case 'S': {
        const TimeFault wrong = number(1, 2, civil_.second);
        if (wrong.none()) tail(after);
        return wrong;
      }
      case 'f':
        return cursor_.fraction(civil_.nanos) ? TimeFault{} : fault(What::kShape);
      case 's':
        return seconds(after);
      case 'p': {
        const bool morning = cursor_.take_word("AM");
        if (!morning && !cursor_.take_word("PM")) return fault(What::kShape);
        afternoon_ = !morning;
        return {};
      }
      case 'b':
      case 'B':
      case 'h':
        if (!cursor_.name(kMonthNames, value)) return fault(What::kShape);
        civil_.month = value + 1;
        return {};
      case 'a':
      case 'A':
        return cursor_.name(kDayNames, value) ? TimeFault{} : fault(What::kShape);
      case 'z':
      case 'Z':
        return zone(conversion == 'z');
      case '%':
        return cursor_.take('%') ? TimeFault{} : fault(What::kShape);
      default:  // %n, %t
        cursor_.blanks();
        return {};
    }
  }

  TimeFault seconds(std::string_view after) noexcept {
    const bool negative = cursor_.take('-');
    std::int64_t sum = 0;
    std::size_t count = 0;
    for (int digit = 0; cursor_.digits(1, 1, digit); ++count) {
      if (count == 15) return fault(negative ? What::kTooEarly : What::kTooLate);
      sum = sum * 10 + digit;
    }
    if (count == 0) return fault(What::kShape);
    civil_.epoch = negative ? -sum : sum;
    tail(after);
    if (negative) civil_.nanos = -civil_.nanos;
    return {};
  }

  TimeFault zone(bool numeric) noexcept {
    civil_.has_zone = true;
    bool valid = true;
    if (numeric && cursor_.offset(civil_.offset, valid)) {
      return valid ? TimeFault{} : fault(What::kOffset);
    }
    if (cursor_.take_word("UTC") || cursor_.take_word("GMT") || cursor_.take_word("Z")) return {};
    return fault(What::kZoneName);
  }

  TimeCursor cursor_;
  Civil& civil_;
  std::optional<int> day_of_year_;
  std::optional<bool> afternoon_;
};

/// The conversions of a pattern, with %T and the like spelled out; nullopt and `wrong` when one is
/// not known.
std::optional<std::string> conversions(std::string_view pattern, std::string& wrong) {
  constexpr std::string_view kKnown = "YmdHMSfzZbBhyejsaAIpnt%";
  std::string found;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    if (++i == pattern.size()) {
      wrong = "the pattern ends in a single %";
      return std::nullopt;
    }
    const std::string_view parts = spelled_out(pattern[i]);
    if (!parts.empty()) {
      found += *conversions(parts, wrong);
    } else if (kKnown.find(pattern[i]) == std::string_view::npos) {
      wrong = fmt::format(
          "%{} is not known; known are %Y %m %d %H %M %S %f %z %Z %b %B %y %e %j %s "
          "%a %A %I %p %T %R %D %F %n %t %%",
          pattern[i]);
      return std::nullopt;
    } else {
      found += pattern[i];
    }
  }
  return found;
}

}  // namespace

std::string check_pattern(std::string_view pattern) {
  std::string wrong;
  const std::optional<std::string> found = conversions(pattern, wrong);
  if (!found) return wrong;
  const auto has = [&](std::string_view any) {
    return found->find_first_of(any) != std::string::npos;
  };
  if (has("s")) return {};
  if (has("j") && !has("Yy")) return "the pattern has no year (%Y), which %j needs";
  if (!has("j") && !(has("mbBh") && has("de"))) {
    return "the pattern has no month and day (%m and %d, or %j)";
  }
  if (has("I") != has("p")) return "%I and %p go together";
  if (!has("HI")) return "the pattern has no hour (%H)";
  return {};
}

bool lacks_year(std::string_view pattern) {
  std::string wrong;
  const std::optional<std::string> found = conversions(pattern, wrong);
  return found && found->find_first_of("Yys") == std::string::npos;
}

TimeFault scan_pattern(std::string_view pattern, std::string_view text, Civil& civil) noexcept {
  if (text.empty()) return fault(What::kEmpty);
  civil.has_year = false;
  PatternRun run(text, civil);
  if (const TimeFault wrong = run.match(pattern); !wrong.none()) return wrong;
  return run.finish();
}

}  // namespace ratereplay
