// SPDX-License-Identifier: Apache-2.0
#include "measure/live_state.hpp"

#include "measure/seek.hpp"

namespace ratereplay {
namespace {

/// Charges of a bucket from which on it is worth while to look for the next that can matter.
constexpr std::size_t kMany = 64;

/// The most of the charges at `at` that count at once, for `life` ns each, from the one before
/// `first` on; `oldest` is the first that counts then.
std::size_t most_held(std::span<const std::int64_t> at, std::size_t first, std::size_t oldest,
                      std::int64_t life) {
  std::size_t most = first - oldest;
  if (at.size() - first < kMany) {
    // A window that never shrinks, as in window_peak.
    for (std::size_t i = first; i < at.size(); ++i) most += at[i] - at[i - most] < life ? 1 : 0;
    return most;
  }
  for (std::size_t i = first; i < at.size();) {
    oldest = seek(at, oldest, at[i] - life + 1);
    const std::size_t held = i + 1 - oldest;
    // Each charge after this one adds one at most.
    i += held > most ? 1 : most - held + 1;
    most = std::max(most, held);
  }
  return most;
}

}  // namespace

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
    const std::size_t bucket = runs[run].bucket;
    const std::size_t end = runs[run++].end;
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

void LiveUnits::add_units(std::span<const std::int64_t> at, std::span<const BucketRun> runs,
                          std::int64_t limit, LiveKeys& keys) {
  if (charged_.empty()) charged_.resize(buckets_->count());
  // Nothing that is written here can change copies.
  const std::int64_t* const instants = at.data();
  Charged* const charged = charged_.data();
  std::int64_t* const live = keys.sums_.steps();
  const std::int64_t life = life_;
  const Buckets buckets = *buckets_;
  const std::size_t stay = stay_;
  const std::int64_t late = late_;
  const std::size_t count = buckets.count();
  std::size_t first = 0;
  std::size_t key_end = 0;
  std::size_t oldest = 0;    // of the charges that the bucket starts with
  std::size_t dead = count;  // the bucket after the one that the last leaves in
  for (const BucketRun& run : runs) {
    const std::size_t size = run.end - (run.begins_key ? 0 : key_end);
    const std::size_t end = first + size;
    const std::size_t bucket = run.bucket;
    const std::int64_t start = buckets.start(bucket).time_since_epoch().count();
    key_end = run.end;
    const bool ends_late = instants[end - 1] >= start + late;
    std::size_t late_size = ends_late ? size : 0;
    if (late_size > 1 && instants[first] < start + late) {
      late_size = end - seek(at.first(end), first, start + late);
    }
    charged[bucket].units += static_cast<std::int64_t>(size);
    charged[bucket].late += static_cast<std::int64_t>(late_size);
    if (run.begins_key || dead <= bucket) {
      --live[std::min(dead, count)];
      ++live[bucket];
      oldest = first;
    } else {
      while (instants[oldest] + life <= start) ++oldest;
    }
    dead = bucket + stay + (ends_late ? 2 : 1);
    // Where some leave before the bucket's last comes, the sum of both is too much.
    if (run.thinned) {
      sums_.add(bucket, bucket, limit - static_cast<std::int64_t>(end - oldest));
    } else if (instants[end - 1] - instants[oldest] >= life) {
      const std::size_t most = most_held(at.first(end), first, oldest, life);
      sums_.add(bucket, bucket,
                static_cast<std::int64_t>(most) - static_cast<std::int64_t>(end - oldest));
    }
    first = end;
  }
  --live[std::min(dead, count)];
}

std::vector<std::uint64_t> LiveUnits::values() const {
  BucketSums sums = sums_;
  for (std::size_t bucket = 0; bucket < charged_.size(); ++bucket) {
    const auto [units, late] = charged_[bucket];
    const std::size_t last = std::min(bucket + stay_, buckets_->count() - 1);
    sums.add(bucket, last, units);
    if (last + 1 < buckets_->count()) sums.add(last + 1, last + 1, late);
  }
  return sums.values();
}

void LiveUnits::merge(const LiveUnits& other) {
  sums_.merge(other.sums_);
  if (charged_.empty()) charged_.resize(other.charged_.size());
  for (std::size_t bucket = 0; bucket < other.charged_.size(); ++bucket) {
    charged_[bucket].units += other.charged_[bucket].units;
    charged_[bucket].late += other.charged_[bucket].late;
  }
}

}  // namespace ratereplay
