// SPDX-License-Identifier: Apache-2.0
#include "measure/worst_window.hpp"

#include <algorithm>
#include <numeric>

#include "ratereplay/arithmetic.hpp"

namespace ratereplay {

namespace {

/// Rows looked at one by one before a look at a whole stretch of them.
constexpr std::size_t kSteps = 8;

/// The first row from i on that ends a window of more than `best`, where `best` come before it.
std::size_t find_fuller(std::span<const std::int64_t> at, std::uint64_t length, std::size_t best,
                        std::size_t i) {
  const std::size_t half = best / 2;
  while (i < at.size()) {
    // Half as many rows that do not fit a window: none of the next can end a fuller one.
    if (elapsed(at[i - best + half], at[i]) >= length) {
      i += half + 1;
      continue;
    }
    for (const std::size_t end = std::min(i + kSteps, at.size()); i < end; ++i) {
      if (elapsed(at[i - best], at[i]) < length) return i;
    }
  }
  return at.size();
}

/// A window that never shrinks: it takes in the newest row when the row that many places back is
/// still inside, so that its size is the best so far.
WindowPeak unit_peak(std::span<const std::int64_t> at, std::uint64_t length, std::uint64_t beyond,
                     std::uint64_t enough) {
  WindowPeak peak;
  std::size_t best = beyond;
  for (std::size_t i = best; best < enough; ++i) {
    i = find_fuller(at, length, best, i);
    if (i >= at.size()) break;
    peak = {++best, at[i]};
  }
  return peak;
}

}  // namespace

WindowPeak window_peak(std::span<const std::int64_t> at, std::span<const Cost> cost,
                       Duration window, std::uint64_t beyond, std::uint64_t enough) {
  const auto length = static_cast<std::uint64_t>(window.count());
  if (cost.empty()) return unit_peak(at, length, beyond, enough);
  WindowPeak peak;
  if (std::accumulate(cost.begin(), cost.end(), std::uint64_t{0}) <= beyond) return peak;
  std::uint64_t held = 0;
  std::size_t oldest = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    held += cost[i];
    while (elapsed(at[oldest], at[i]) >= length) held -= cost[oldest++];
    if (held > std::max(beyond, peak.units)) peak = {held, at[i]};
  }
  return peak;
}

std::size_t first_to_hold(std::span<const std::uint64_t> limits, std::span<const std::int64_t> at,
                          std::span<const Cost> cost, Duration window) {
  if (!cost.empty()) {
    const std::uint64_t peak =
        window_peak(at, cost, window, limits.front(), limits.back() + 1).units;
    return static_cast<std::size_t>(std::ranges::lower_bound(limits, peak) - limits.begin());
  }
  const auto length = static_cast<std::uint64_t>(window.count());
  std::size_t first = 0;
  std::size_t i = 0;
  for (; first < limits.size(); ++first) {
    // What ends before the row that was one too many for the lesser limit is no fuller.
    i = std::max<std::size_t>(i, limits[first]);
    i = find_fuller(at, length, limits[first], i);
    if (i >= at.size()) break;
  }
  return first;
}

void WorstWindowSearch::look(const PackedKey& key, std::span<const std::int64_t> at,
                             std::span<const Cost> cost) {
  const WindowPeak peak = window_peak(at, cost, window_, units_ == 0 ? 0 : units_ - 1, most_);
  if (peak.units > 0) offer(key, peak.units, peak.at);
}

void WorstWindowSearch::merge(const WorstWindowSearch& other) {
  if (other.units_ > 0) offer(other.key_, other.units_, other.at_);
}

void WorstWindowSearch::offer(const PackedKey& key, std::uint64_t units, std::int64_t at) {
  const bool worse = units != units_ ? units > units_
                     : at != at_     ? at < at_
                                     : key.text() < key_.text();
  if (!worse) return;
  units_ = units;
  at_ = at;
  key_ = key;
}

}  // namespace ratereplay
