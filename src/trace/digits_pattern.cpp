// SPDX-License-Identifier: Apache-2.0
#include "trace/digits_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/time_cursor.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {
namespace {

/// The pattern of a text like `7/16/2021, 1:38:07.5 AM +0200`, with `first` and `second` for day
/// and month; empty for another text.
std::string shape_of(std::string_view text, std::string_view first, std::string_view second) {
  TimeCursor cursor(text);
  int ignored = 0;
  cursor.blanks();
  if (!cursor.digits(1, 2, ignored)) return {};
  const char separator = cursor.peek();
  if (!cursor.take_any("/.-") || !cursor.digits(1, 2, ignored) || !cursor.take(separator) ||
      !cursor.digits(4, 4, ignored)) {
    return {};
  }
  std::string pattern = fmt::format("{}{}{}{}%Y", first, separator, second, separator);
  if (cursor.take(',')) pattern += ',';
  if (cursor.take('T')) {
    pattern += 'T';
  } else if (cursor.blanks()) {
    pattern += ' ';
  } else {
    return {};
  }
  if (!cursor.digits(1, 2, ignored) || !cursor.take(':') || !cursor.digits(2, 2, ignored)) {
    return {};
  }
  std::string clock = ":%M";
  if (cursor.take(':')) {
    std::int32_t fraction = 0;
    if (!cursor.digits(2, 2, ignored)) return {};
    cursor.point_fraction(fraction);
    clock += ":%S";
  }
  cursor.blanks();
  const bool halves = cursor.take_word("AM") || cursor.take_word("PM");
  pattern += (halves ? "%I" : "%H") + clock + (halves ? " %p" : "");
  cursor.blanks();
  return cursor.done() ? pattern : pattern + " %z";
}

std::size_t count_read(const std::string& pattern, const std::vector<std::string_view>& texts) {
  TimeReader reader({TimeStyle::kPattern, {}, pattern});
  Instant at{};
  return static_cast<std::size_t>(std::count_if(
      texts.begin(), texts.end(), [&](std::string_view text) { return reader.read(text, at); }));
}

}  // namespace

std::optional<std::string> digits_pattern(const std::vector<std::string_view>& texts,
                                          std::string& why) {
  const auto most = [&](std::size_t read) { return read * 2 >= texts.size(); };
  // As numbers since the epoch they would lie after the year 2600.
  for (const auto& [digits, pattern] : {std::pair{14U, "%Y%m%d%H%M%S"}, {17U, "%Y%m%d%H%M%S%f"}}) {
    const bool digits_fit = std::all_of(texts.begin(), texts.end(), [&](std::string_view text) {
      return text.size() == digits && (text.starts_with("19") || text.starts_with("20"));
    });
    if (digits_fit && most(count_read(pattern, texts))) return pattern;
  }
  const std::string_view text = texts.front();
  const std::string day_first = shape_of(text, "%d", "%m");
  if (day_first.empty()) return std::nullopt;
  const std::string month_first = shape_of(text, "%m", "%d");
  const std::size_t as_day = count_read(day_first, texts);
  const std::size_t as_month = count_read(month_first, texts);
  const bool dots = day_first.find('.') != std::string::npos;
  if (!most(std::max(as_day, as_month))) return std::nullopt;
  if (as_day > as_month || (dots && as_day == as_month)) return day_first;
  if (as_month > as_day) return month_first;
  why = fmt::format("no telling day from month; --time-format '{}' or '{}' says", day_first,
                    month_first);
  return std::nullopt;
}

}  // namespace ratereplay
