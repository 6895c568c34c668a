// SPDX-License-Identifier: Apache-2.0
#include "measure/live_state.hpp"

namespace ratereplay {

void LiveUnits::cross(std::size_t bucket) {
  if (most_ > 0) sums_.add(bucket_, bucket_, most_);
  // Buckets without an event hold at most what they start with.
  for (std::size_t at = bucket_ + 1; at < bucket && held_ > 0;) {
    drop_until(buckets_->start(at));
    if (held_ == 0) break;
    const std::size_t until =
        buckets_->index(entries_[oldest_].leaves.time_since_epoch().count() - 1);
    const std::size_t end = std::min(std::max(at, until), bucket - 1);
    sums_.add(at, end, held_);
    at = end + 1;
  }
  if (bucket == buckets_->count()) {
    forget();
    return;
  }
  drop_until(buckets_->start(bucket));
  bucket_ = bucket;
  most_ = held_;
}

void LiveUnits::charge(Instant now, Instant leaves, Cost cost) {
  drop_until(now);
  if (oldest_ == entries_.size()) {
    entries_.clear();
    oldest_ = 0;
  }
  entries_.push_back({leaves, cost});
  held_ += cost;
  most_ = std::max(most_, held_);
}

}  // namespace ratereplay
