// SPDX-License-Identifier: Apache-2.0
#include "measure/worst_window.hpp"

#include <numeric>

namespace ratereplay {

void WorstWindowSearch::add(const PackedKey& key, std::span<const std::int64_t> at,
                            std::span<const Cost> cost) {
  const auto age = [&](std::size_t newest, std::size_t oldest) {
    return static_cast<std::uint64_t>(at[newest]) - static_cast<std::uint64_t>(at[oldest]);
  };
  const auto window = static_cast<std::uint64_t>(window_);
  std::uint64_t units = 0;
  std::int64_t first_reached = 0;
  if (cost.empty()) {
    // A window that never shrinks: it takes in the newest row when the row that many places back is
    // still inside, so that its size is the best so far. What cannot reach the best of the other
    // keys is skipped.
    if (at.size() < units_) return;
    std::size_t best = units_ == 0 ? 0 : units_ - 1;
    for (std::size_t i = best; i < at.size(); ++i) {
      if (age(i, i - best) >= window) continue;
      units = ++best;
      first_reached = at[i];
    }
  } else {
    if (std::accumulate(cost.begin(), cost.end(), std::uint64_t{0}) < units_) return;
    std::uint64_t held = 0;
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      held += cost[i];
      while (age(i, oldest) >= window) held -= cost[oldest++];
      if (held > units) {
        units = held;
        first_reached = at[i];
      }
    }
  }
  if (units > 0) offer(key, units, first_reached);
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
