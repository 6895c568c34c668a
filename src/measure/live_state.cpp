// SPDX-License-Identifier: Apache-2.0
#include "measure/live_state.hpp"

namespace ratereplay {

void LiveUnits::cross(std::size_t bucket, const SlidingLog& log, const SlidingLog::State& state) {
  if (most_ == 0 && state.size() == 0) {
    bucket_ = bucket;
    return;
  }
  if (most_ > 0) sums_.add(bucket_, bucket_, most_);
  auto held = static_cast<std::int64_t>(state.units());
  std::size_t oldest = 0;
  const auto drop_until = [&](Instant now) {
    while (oldest < state.size() && log.has_left(state[oldest], now)) {
      held -= state[oldest++].units;
    }
  };
  // Buckets without an event hold at most what they start with.
  for (std::size_t at = bucket_ + 1; at < bucket && held > 0;) {
    drop_until(buckets_->start(at));
    if (held == 0) break;
    const std::size_t until =
        buckets_->index(log.leaves_at(state[oldest]).time_since_epoch().count() - 1);
    const std::size_t end = std::min(std::max(at, until), bucket - 1);
    sums_.add(at, end, held);
    at = end + 1;
  }
  bucket_ = bucket;
  most_ = 0;
  if (bucket == buckets_->count()) return;
  drop_until(buckets_->start(bucket));
  most_ = held;
}

}  // namespace ratereplay
