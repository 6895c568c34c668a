// SPDX-License-Identifier: Apache-2.0
#include "measure/worst_window.hpp"

#include <algorithm>
#include <numeric>

#include "ratereplay/arithmetic.hpp"

namespace ratereplay {

WindowPeak window_peak(std::span<const std::int64_t> at, std::span<const Cost> cost,
                       Duration window, std::uint64_t beyond) {
  const auto length = static_cast<std::uint64_t>(window.count());
  const auto age = [&](std::size_t newest, std::size_t oldest) {
    return elapsed(at[oldest], at[newest]);
  };
  WindowPeak peak;
  if (cost.empty()) {
    // A window that never shrinks: it takes in the newest row when the row that many places back is
    // still inside, so that its size is the best so far.
    std::size_t best = beyond;
    for (std::size_t i = best; i < at.size(); ++i) {
      if (age(i, i - best) >= length) continue;
      peak = {++best, at[i]};
    }
    return peak;
  }
  if (std::accumulate(cost.begin(), cost.end(), std::uint64_t{0}) <= beyond) return peak;
  std::uint64_t held = 0;
  std::size_t oldest = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    held += cost[i];
    while (age(i, oldest) >= length) held -= cost[oldest++];
    if (held > std::max(beyond, peak.units)) peak = {held, at[i]};
  }
  return peak;
}

bool holds_more(std::span<const std::int64_t> at, std::span<const Cost> cost, Duration window,
                std::uint64_t beyond) {
  if (!cost.empty()) return window_peak(at, cost, window, beyond).units > 0;
  const auto length = static_cast<std::uint64_t>(window.count());
  for (std::size_t i = beyond; i < at.size(); ++i) {
    if (elapsed(at[i - beyond], at[i]) < length) return true;
  }
  return false;
}

void WorstWindowSearch::add(const PackedKey& key, std::span<const std::int64_t> at,
                            std::span<const Cost> cost) {
  const WindowPeak peak = window_peak(at, cost, window_, units_ == 0 ? 0 : units_ - 1);
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
