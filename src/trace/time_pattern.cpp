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

struct Fields {
  Civil civil;
  std::optional<int> day_of_year;
  std::optional<std::int64_t> epoch;
  std::optional<bool> afternoon;
};

/// One run over a text, guided by the pattern.
class PatternRun {
 public:
  explicit PatternRun(std::string_view text) noexcept : cursor_(text) {}

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

  TimeFault finish(std::int64_t& nanos) noexcept {
    cursor_.blanks();
    if (!cursor_.done()) return fault(What::kTextAfter);
    Civil& civil = fields_.civil;
    if (fields_.epoch) return join_seconds(*fields_.epoch, civil.nanos, nanos);
    if (fields_.afternoon) {
      if (civil.hour < 1 || civil.hour > 12) return fault(What::kTwelveHour, civil.hour);
      civil.hour = civil.hour % 12 + (*fields_.afternoon ? 12 : 0);
    }
    if (fields_.day_of_year) {
      int day = *fields_.day_of_year;
      if (day < 1 || day > (is_leap(civil.year) ? 366 : 365)) {
        return {What::kDayOfYear, 0, static_cast<std::int16_t>(civil.year), day};
      }
      for (civil.month = 1; day > days_in(civil.month, civil.year); ++civil.month) {
        day -= days_in(civil.month, civil.year);
      }
      civil.day = day;
    }
    return to_nanos(civil, nanos);
  }

 private:
  TimeFault number(std::size_t least, std::size_t most, int& value) noexcept {
    return cursor_.digits(least, most, value) ? TimeFault{} : fault(What::kShape);
  }

  /// A fraction where the pattern has none of its own.
  void tail(std::string_view after) noexcept {
    if (!after.starts_with('.') && !after.starts_with(',')) {
      cursor_.point_fraction(fields_.civil.nanos);
    }
  }

  TimeFault convert(char conversion, std::string_view after) noexcept {
    Civil& civil = fields_.civil;
    int value = 0;
    switch (conversion) {
      case 'Y':
        return number(4, 4, civil.year);
      case 'y': {
        const TimeFault wrong = number(2, 2, value);
        civil.year = value + (value < 69 ? 2000 : 1900);
        return wrong;
      }
      case 'm':
        return number(1, 2, civil.month);
      case 'd':
      case 'e':
        cursor_.blanks();
        return number(1, 2, civil.day);
      case 'j': {
        const TimeFault wrong = number(1, 3, value);
        fields_.day_of_year = value;
        return wrong;
      }
      case 'H':
      case 'I':
        return number(1, 2, civil.hour);
      case 'M':
        return number(1, 2, civil.minute);
      case 'S': {
        const TimeFault wrong = number(1, 2, civil.second);
        if (wrong.none()) tail(after);
        return wrong;
      }
      case 'f':
        return cursor_.fraction(civil.nanos) ? TimeFault{} : fault(What::kShape);
      case 's':
        return seconds(after);
      case 'p': {
        const bool morning = cursor_.take_word("AM");
        if (!morning && !cursor_.take_word("PM")) return fault(What::kShape);
        fields_.afternoon = !morning;
        return {};
      }
      case 'b':
      case 'B':
      case 'h':
        if (!cursor_.name(kMonthNames, value)) return fault(What::kShape);
        civil.month = value + 1;
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
    fields_.epoch = negative ? -sum : sum;
    tail(after);
    if (negative) fields_.civil.nanos = -fields_.civil.nanos;
    return {};
  }

  TimeFault zone(bool numeric) noexcept {
    bool valid = true;
    if (numeric && cursor_.offset(fields_.civil.offset, valid)) {
      return valid ? TimeFault{} : fault(What::kOffset);
    }
    if (cursor_.take_word("UTC") || cursor_.take_word("GMT") || cursor_.take_word("Z")) return {};
    return fault(What::kZoneName);
  }

  TimeCursor cursor_;
  Fields fields_;
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
  if (!has("Yy")) return "the pattern has no year (%Y)";
  if (!has("j") && !(has("mbBh") && has("de"))) {
    return "the pattern has no month and day (%m and %d, or %j)";
  }
  if (has("I") != has("p")) return "%I and %p go together";
  if (!has("HI")) return "the pattern has no hour (%H)";
  return {};
}

TimeFault scan_pattern(std::string_view pattern, std::string_view text,
                       std::int64_t& nanos) noexcept {
  if (text.empty()) return fault(What::kEmpty);
  PatternRun run(text);
  if (const TimeFault wrong = run.match(pattern); !wrong.none()) return wrong;
  return run.finish(nanos);
}

}  // namespace ratereplay
