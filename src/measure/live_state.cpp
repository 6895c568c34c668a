// SPDX-License-Identifier: Apache-2.0
#include "measure/live_state.hpp"

namespace ratereplay {

void BucketSums::allocate() {
  single_.resize(buckets_);
  steps_.resize(buckets_ + 1);
}

void LiveUnits::add(const SlidingLog& log, std::span<const std::int64_t> at,
                    std::span<const Cost> cost, std::span<const BucketRun> runs, LiveKeys& keys) {
  const auto instant = [&](std::size_t i) { return Instant{Duration{at[i]}}; };
  const auto units = [&](std::size_t i) { return std::int64_t{cost.empty() ? 1 : cost[i]}; };
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
    while (oldest < next && log.has_left(instant(oldest), now)) held -= units(oldest++);
  };
  for (std::size_t run = 0; run < runs.size();) {
    const auto [bucket, end] = runs[run++];
    const std::size_t after = run < runs.size() ? runs[run].bucket : buckets_->count();
    if (cost.empty() && held == 0 && end == next + 1) {
      // Alone until it has left. At the end of time that is told by the last instant there is.
      const std::int64_t left = log.leaves_at(instant(next)).time_since_epoch().count();
      const std::size_t last = std::max(bucket, buckets_->index(left - 1));
      if (last < after) {
        note(bucket, last, 1);
        oldest = ++next;
        continue;
      }
    }
    if (held > 0) drop_until(buckets_->start(bucket));
    std::int64_t most = held;
    for (; next < end; ++next) {
      drop_until(instant(next));
      held += units(next);
      most = std::max(most, held);
    }
    if (most > 0) note(bucket, bucket, most);
    // Buckets without a charge hold at most what they start with.
    std::size_t empty = bucket + 1;
    while (empty < after && held > 0) {
      drop_until(buckets_->start(empty));
      if (held == 0) break;
      const std::int64_t left = log.leaves_at(instant(oldest)).time_since_epoch().count();
      const std::size_t last = std::min(std::max(empty, buckets_->index(left - 1)), after - 1);
      note(empty, last, held);
      empty = last + 1;
    }
  }
  if (live_from < live_until) keys.add(live_from, live_until - 1);
}

}  // namespace ratereplay
