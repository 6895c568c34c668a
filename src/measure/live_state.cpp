// SPDX-License-Identifier: Apache-2.0
#include "measure/live_state.hpp"

namespace ratereplay {

void BucketSums::allocate() {
  single_.resize(buckets_);
  steps_.resize(buckets_ + 1);
}

void LiveUnits::add(const SlidingLog& log, std::span<const std::int64_t> at,
                    std::span<const Cost> cost, std::span<const BucketRun> runs, LiveKeys& keys) {
  if (cost.empty()) {
    add_charges<false>(log, at, cost, runs, keys);
  } else {
    add_charges<true>(log, at, cost, runs, keys);
  }
}

template <bool kWithCosts>
void LiveUnits::add_charges(const SlidingLog& policy, std::span<const std::int64_t> at,
                            std::span<const Cost> cost, std::span<const BucketRun> runs,
                            LiveKeys& keys) {
  // Nothing that is written here can change copies.
  const SlidingLog log = policy;
  const Buckets buckets = *buckets_;
  const auto instant = [&](std::size_t i) { return Instant{Duration{at[i]}}; };
  // Buckets in which the key has state, as far as they follow on each other.
  std::size_t live_from = 0;
  std::size_t live_until = 0;  // the bucket after the last
  const auto note = [&](std::size_t first, std::size_t last, std::int64_t held) {
    sums_.add(first, last, held);
    if (first != live_until) {
      if (live_from < live_until) keys.add(live_from, live_until - 1);
      live_from = first;
    }
    live_until = last + 1;
  };
  std::size_t next = 0;    // charge to come
  std::size_t oldest = 0;  // of the charges held
  std::int64_t held = 0;
  const auto drop_until = [&](Instant now) {
    while (oldest < next && log.has_left(instant(oldest), now)) {
      held -= kWithCosts ? std::int64_t{cost[oldest]} : 1;
      ++oldest;
    }
  };
  for (std::size_t run = 0; run < runs.size();) {
    const auto [bucket, end] = runs[run++];
    const std::size_t after = run < runs.size() ? runs[run].bucket : buckets.count();
    if (!kWithCosts && held == 0 && end == next + 1) {
      // Alone until it has left, which is what most charges of quiet keys are.
      const std::int64_t left = log.leaves_at(instant(next)).time_since_epoch().count();
      const std::size_t last = std::max(bucket, buckets.index(left - 1));
      if (last < after) {
        note(bucket, last, 1);
        oldest = ++next;
        continue;
      }
    }
    if (held > 0) drop_until(buckets.start(bucket));
    std::int64_t most = held;
    if constexpr (kWithCosts) {
      for (; next < end; ++next) {
        drop_until(instant(next));
        held += cost[next];
        most = std::max(most, held);
      }
    } else {
      held += static_cast<std::int64_t>(end - next);
      // A window that never shrinks, as in window_peak.
      auto best = static_cast<std::size_t>(most);
      for (; next < end; ++next) {
        if (!log.has_left(instant(next - best), instant(next))) ++best;
      }
      most = static_cast<std::int64_t>(best);
    }
    if (most > 0) note(bucket, bucket, most);
    // Buckets without a charge hold at most what they start with.
    std::size_t empty = bucket + 1;
    if (empty >= after) continue;
    if (log.has_left(instant(next - 1), buckets.start(empty))) {
      oldest = next;
      held = 0;
      continue;
    }
    while (empty < after && held > 0) {
      drop_until(buckets.start(empty));
      if (held == 0) break;
      const std::int64_t left = log.leaves_at(instant(oldest)).time_since_epoch().count();
      const std::size_t last = std::min(std::max(empty, buckets.index(left - 1)), after - 1);
      note(empty, last, held);
      empty = last + 1;
    }
  }
  if (live_from < live_until) keys.add(live_from, live_until - 1);
}

}  // namespace ratereplay
