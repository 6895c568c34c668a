// SPDX-License-Identifier: Apache-2.0
#include "trace/time_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <tuple>

#include "trace/delimited_scan.hpp"
#include "trace/digits_pattern.hpp"
#include "trace/field_names.hpp"
#include "trace/fields.hpp"
#include "trace/time_scan.hpp"

namespace ratereplay {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// How many of the texts are instants of that format, and why the first other is none.
std::size_t count_read(const TimeFormat& format, const std::vector<std::string_view>& texts,
                       std::string& why) {
  TimeReader reader(format);
  std::size_t read = 0;
  Instant at{};
  for (const std::string_view text : texts) {
    if (reader.read(text, at)) {
      ++read;
    } else if (why.empty()) {
      why = reader.reason();
    }
  }
  return read;
}

/// Only for the choice of a unit; instants themselves are read digit by digit.
std::vector<double> numbers_of(const std::vector<std::string_view>& texts, bool& fraction) {
  std::vector<double> numbers;
  for (const std::string_view text : texts) {
    double value = 0;
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(begin, end, value);
    if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value)) continue;
    numbers.push_back(std::fabs(value));
    fraction = fraction || text.find('.') != std::string_view::npos;
  }
  return numbers;
}

TimeFormat number_format(std::vector<double> sizes, bool fraction, std::string_view name) {
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double median = *middle;
  if (median < 1e8) {
    Duration unit = fraction ? Duration(seconds{1}) : Duration(milliseconds{1});
    // `time_ms`, and `time (ms)` as comments above a table have it.
    if (plain_name(name).find("unix") != std::string::npos) unit = seconds{1};
    for (const TimeCount& count : kTimeCounts) {
      if (name.ends_with(fmt::format("_{}", count.suffix)) ||
          name.ends_with(fmt::format("({})", count.suffix)) ||
          (name == "atMs" && count.suffix == "ms")) {
        unit = count.length;
      }
    }
    return {TimeStyle::kRelative, unit, {}};
  }
  if (median < 1e11) return {TimeStyle::kEpoch, seconds{1}, {}};
  if (median < 1e14) return {TimeStyle::kEpoch, milliseconds{1}, {}};
  if (median < 1e17) return {TimeStyle::kEpoch, microseconds{1}, {}};
  return {TimeStyle::kEpoch, nanoseconds{1}, {}};
}

std::vector<std::optional<Instant>> instants_of(const SampleTable& table,
                                                const TimeChoice& choice) {
  TimeReader reader(choice.format);
  std::vector<std::optional<Instant>> instants;
  for (const Cell& cell : table.fields[choice.fields.front()].cells) {
    Instant at{};
    const bool read = cell.kind >= CellKind::kText && reader.read(cell.text, at);
    instants.push_back(read ? std::optional(at) : std::nullopt);
  }
  return instants;
}

/// Nearly never going back, as arrivals since a start do and durations do not.
bool mostly_rises(const SampleTable& table, const TimeChoice& choice) {
  const auto instants = instants_of(table, choice);
  std::size_t pairs = 0;
  std::size_t back = 0;
  for (std::size_t i = 1; i < instants.size(); ++i) {
    if (!instants[i] || !instants[i - 1]) continue;
    ++pairs;
    if (*instants[i] < *instants[i - 1]) ++back;
  }
  return back * 10 <= pairs;
}

/// Every instant between 1990 and 2100, or not a number at all.
bool is_recent(const SampleTable& table, const TimeChoice& choice) {
  if (choice.format.unit.count() == 0) return true;
  const auto instants = instants_of(table, choice);
  return std::all_of(instants.begin(), instants.end(), [](const std::optional<Instant>& at) {
    return !at ||
           (*at >= Instant(std::chrono::days{7'305}) && *at < Instant(std::chrono::days{47'482}));
  });
}

/// An index column: every step is 1.
bool counts_rows(const SampleTable& table, const TimeChoice& choice) {
  const auto instants = instants_of(table, choice);
  for (std::size_t i = 1; i < instants.size(); ++i) {
    if (!instants[i] || !instants[i - 1]) return false;
    if (*instants[i] - *instants[i - 1] != choice.format.unit) return false;
  }
  return true;
}

/// Nothing but zeros.
bool stays_zero(const SampleTable& table, const TimeChoice& choice) {
  const auto instants = instants_of(table, choice);
  return std::all_of(instants.begin(), instants.end(),
                     [](const std::optional<Instant>& at) { return !at || *at == Instant{}; });
}

/// The name is that of a duration, and nothing speaks for instants all the same.
bool is_mere_duration(const SampleTable& table, const TimeChoice& choice) {
  if (!choice.format.number() || !is_duration(choice.shown)) return false;
  // Some write when the request was made in `request_time`.
  return plain_name(choice.shown) != "requesttime" || !choice.format.absolute() ||
         !is_recent(table, choice) || !mostly_rises(table, choice);
}

/// In nearly every record with an `end` there is a `start` that is no later than `end`, apart from
/// the digits that one of them does not show, and less than an hour before it.
bool starts_before(const SampleTable& table, const TimeChoice& start, const TimeChoice& end) {
  const auto starts = instants_of(table, start);
  const auto ends = instants_of(table, end);
  std::size_t ended = 0;
  std::size_t fitting = 0;
  for (std::size_t i = 0; i < std::min(starts.size(), ends.size()); ++i) {
    if (!ends[i]) continue;
    ++ended;
    if (starts[i] && *ends[i] > *starts[i] - seconds{1} &&
        *ends[i] < *starts[i] + std::chrono::hours{1}) {
      ++fitting;
    }
  }
  return ended > 0 && fitting * 10 >= ended * 9;
}

/// Dates as numbers like 20260102, all of them.
bool are_dates(const std::vector<std::string_view>& texts) {
  return std::all_of(texts.begin(), texts.end(), [](std::string_view text) {
    Civil civil;
    return text.size() == 8 && (text.starts_with("19") || text.starts_with("20")) &&
           scan_iso(text, civil).what == TimeFault::What::kNoTimeOfDay;
  });
}

struct Candidate {
  int rank;
  std::size_t index;
};

}  // namespace

TimeFormat TimeDefaults::complete(TimeFormat format,
                                  const std::vector<std::string_view>& texts) const {
  format.zone = zone;
  format.year.reset();
  if (!year || format.number()) return format;
  const TimeReader reader(format);
  for (const std::string_view text : texts) {
    const std::optional<Civil> first = reader.yearless(text);
    if (!first || !check_date(*year, first->month, first->day).none()) continue;
    // Rows may come late by so much, also over New Year.
    constexpr std::chrono::days kLate{30};
    const std::chrono::year_month_day start{
        std::chrono::sys_days{std::chrono::days{day_number(*year, first->month, first->day)}} -
        kLate};
    format.year = YearWindow{static_cast<int>(start.year()),
                             static_cast<int>(static_cast<unsigned>(start.month())),
                             static_cast<int>(static_cast<unsigned>(start.day()))};
    return format;
  }
  return format;
}

std::optional<TimeFormat> guess_time_format(std::vector<std::string_view> texts,
                                            std::string_view name, const TimeDefaults& defaults,
                                            std::string& why) {
  // No format minds blanks around its text.
  for (std::string_view& text : texts) text = trim_blanks(text);
  if (texts.empty()) {
    why = "no value in the sample";
    return std::nullopt;
  }
  const auto fits = [&](const TimeFormat& format, std::string& reason) {
    return count_read(format, texts, reason) * 2 >= texts.size();
  };
  for (const TimeStyle style :
       {TimeStyle::kIso, TimeStyle::kClf, TimeStyle::kRfc2822, TimeStyle::kCtime}) {
    std::string reason;
    TimeFormat format = defaults.complete({style, {}, {}}, texts);
    if (fits(format, reason)) return format;
    if (style == TimeStyle::kIso || reason.starts_with("a time without a year")) why = reason;
  }
  if (are_dates(texts)) {
    why += fmt::format(" ('{}')", texts.front());
    return std::nullopt;
  }
  if (const std::optional<std::string> pattern = digits_pattern(texts, why)) {
    return defaults.complete({TimeStyle::kPattern, {}, *pattern}, texts);
  }
  bool fraction = false;
  std::vector<double> numbers = numbers_of(texts, fraction);
  if (numbers.size() * 2 >= texts.size()) {
    return number_format(std::move(numbers), fraction, name);
  }
  if (why == "not an RFC 3339 time") why = "no time that is known";
  const std::string_view first = texts.front().substr(0, 40);
  why += fmt::format(" ('{}')", first);
  return std::nullopt;
}

std::vector<std::string> joined_texts(const SampleTable& table, std::size_t date,
                                      std::size_t time) {
  const auto& dates = table.fields[date].cells;
  const auto& times = table.fields[time].cells;
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < std::min({dates.size(), times.size(), std::size_t{2'000}}); ++i) {
    if (dates[i].kind < CellKind::kText || times[i].kind < CellKind::kText) continue;
    joined.push_back(fmt::format("{} {}", dates[i].text, times[i].text));
  }
  return joined;
}

TimeChoices time_choices(const SampleTable& table, const std::optional<TimeFormat>& pinned,
                         const TimeDefaults& defaults) {
  std::vector<Candidate> named;
  std::vector<std::size_t> unnamed;
  std::optional<std::size_t> date;
  std::optional<std::size_t> time_of_day;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    if (!is_common(table, i)) continue;
    const std::string& name = table.fields[i].name;
    if (const std::optional<int> rank = time_rank(name)) {
      named.push_back({*rank, i});
    } else {
      unnamed.push_back(i);
    }
    if (plain_name(name) == "date" && !date) date = i;
    if (plain_name(name) == "time" && !time_of_day) time_of_day = i;
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });

  TimeChoices found;
  std::vector<TimeChoice> relative;
  const auto judge = [&](std::size_t index, bool say, bool numbers) {
    const SampleTable::Field& field = table.fields[index];
    const std::vector<std::string_view> texts = texts_of(field);
    std::string why;
    TimeChoice choice{{index}, field.name, {}};
    if (const std::optional<TimeFormat>& known = pinned ? pinned : field.time) {
      choice.format = defaults.complete(*known, texts);
      if (count_read(choice.format, texts, why) * 2 >= texts.size() && !texts.empty()) {
        if (field.time || !is_mere_duration(table, choice)) {
          found.good.push_back(std::move(choice));
          return;
        }
        why = "a duration by its name";
      }
    } else if (const auto format = guess_time_format(texts, field.name, defaults, why)) {
      choice.format = *format;
      if (format->number() && !numbers) return;
      if (is_mere_duration(table, choice)) {
        if (say) {
          found.refused.push_back(fmt::format("field '{}': a duration by its name", field.name));
        }
        return;
      }
      (format->absolute() ? found.good : relative).push_back(std::move(choice));
      return;
    }
    const bool half = why.starts_with("a date without") || why.starts_with("a time of day") ||
                      why.starts_with("a time without");
    if (say || half) found.refused.push_back(fmt::format("field '{}': {}", field.name, why));
  };
  for (const Candidate& candidate : named) judge(candidate.index, true, true);

  // Where only a lesser name counts from a start, a real instant under any name goes first.
  const auto plainly_time = [](const TimeChoice& choice) {
    return time_rank(choice.shown).value_or(0) < 100;
  };
  if (found.good.empty() && !relative.empty() && std::ranges::none_of(relative, plainly_time)) {
    const std::size_t refused = found.refused.size();
    for (const std::size_t index : unnamed) judge(index, false, false);
    if (found.good.empty()) found.refused.resize(refused);  // they are judged again below
  }

  // A trace writes real instants or counts from its start; with both, a number such as HHMMSS or a
  // duration is not the arrival.
  for (TimeChoice& choice : relative) {
    const std::string& name = choice.shown;
    const int rank = time_rank(name).value_or(0);
    if (rank < 100 || mostly_rises(table, choice)) {
      found.good.push_back(std::move(choice));
    } else {
      found.refused.push_back(
          fmt::format("field '{}': small numbers that do not rise, like durations", name));
    }
  }
  if (date && time_of_day) {
    const std::vector<std::string> joined = joined_texts(table, *date, *time_of_day);
    const std::vector<std::string_view> texts(joined.begin(), joined.end());
    const bool better = !found.good.empty() && found.good.front().format.absolute() &&
                        time_rank(found.good.front().shown) < time_rank("date");
    std::string why;
    std::optional<TimeFormat> format;
    if (pinned) {
      format = defaults.complete(*pinned, texts);
      if (count_read(*format, texts, why) * 2 < texts.size()) format.reset();
    } else {
      format = guess_time_format(texts, "", defaults, why);
    }
    if (!better && !joined.empty() && format && !format->number()) {
      const std::string shown = table.fields[*date].name + "+" + table.fields[*time_of_day].name;
      found.good.insert(found.good.begin(), TimeChoice{{*date, *time_of_day}, shown, *format});
    }
  }

  // A log is written when a request ends; its start, where there is one, is the arrival.
  if (!found.good.empty() && found.good.front().fields.size() == 1 &&
      !is_start(found.good.front().shown)) {
    const auto start =
        std::find_if(found.good.begin() + 1, found.good.end(), [&](const TimeChoice& choice) {
          return is_start(choice.shown) && choice.format.absolute() &&
                 starts_before(table, choice, found.good.front());
        });
    if (start != found.good.end()) std::rotate(found.good.begin(), start, start + 1);
  }
  if (!found.good.empty()) return found;

  // Names say nothing: take what can only be an instant.
  const bool headless = is_headless(table);
  relative.clear();
  for (const std::size_t index : unnamed) judge(index, false, headless);
  std::erase_if(found.good, [&](const TimeChoice& choice) { return !is_recent(table, choice); });
  std::size_t skipped = 0;
  const auto rises = [&](const TimeChoice& choice) {
    return !stays_zero(table, choice) && mostly_rises(table, choice);
  };
  if (std::ranges::any_of(relative, rises)) {
    skipped = std::erase_if(relative,
                            [&](const TimeChoice& choice) { return stays_zero(table, choice); });
  }
  if (found.good.empty() && headless && !relative.empty() &&
      relative.front().fields[0] <= skipped) {
    const TimeChoice& first = relative.front();
    const auto instants = instants_of(table, first);
    const bool from_zero = instants[0] == Instant{};
    if (instants.size() > 1 && (from_zero || first.format.unit == seconds{1}) &&
        mostly_rises(table, first) && !counts_rows(table, first)) {
      found.good.push_back(first);
    }
  }
  return found;
}

}  // namespace ratereplay
