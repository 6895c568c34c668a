// SPDX-License-Identifier: Apache-2.0
#include "vectors/series.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ratereplay {
namespace {

/// Reads all of the text as a number.
template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<Series> parse_series(std::string_view text) {
  Series series;
  const std::size_t times = text.find('x');
  if (times == text.npos || !read_number(text.substr(times + 1), series.count)) return std::nullopt;
  if (series.count == 0) return std::nullopt;
  const std::string_view instants = text.substr(0, times);
  const std::size_t plus = instants.find('+');
  if (!read_number(instants.substr(0, plus), series.at)) return std::nullopt;
  if (plus != instants.npos &&
      (!read_number(instants.substr(plus + 1), series.step) || series.step < 0)) {
    return std::nullopt;
  }
  return series;
}

std::string series_text(const Series& series) {
  if (series.step == 0) return fmt::format("{}x{}", series.at, series.count);
  return fmt::format("{}+{}x{}", series.at, series.step, series.count);
}

Series leading_series(std::span<const VectorStep> steps) {
  const VectorStep& first = steps.front();
  Series series{first.request.at};
  for (; series.count < steps.size(); ++series.count) {
    const VectorStep& before = steps[series.count - 1];
    VectorStep next = steps[series.count];
    const Wide step = Wide{next.request.at} - before.request.at;
    if (step < 0 || !fits_int64(step)) break;
    if (series.count > 1 && step != series.step) break;
    next.request.at = first.request.at;
    if (next != first) break;
    series.step = static_cast<std::int64_t>(step);
  }
  if (series.count == 1) series.step = 0;
  return series;
}

}  // namespace ratereplay
