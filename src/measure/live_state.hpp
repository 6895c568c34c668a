// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "measure/buckets.hpp"
#include "ratereplay/arithmetic.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/policies/sliding_log.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// Instants and lengths of time up to here, in ns, add up without overflow.
inline constexpr std::int64_t kPlainTime = std::int64_t{1} << 61;

/// A sum over keys per bucket, built from ranges of buckets at constant cost each. Takes no memory
/// before the first.
class BucketSums {
 public:
  explicit BucketSums(std::size_t buckets) : buckets_(buckets) {}
  /// Adds `value` to every bucket of [first, last].
  void add(std::size_t first, std::size_t last, std::int64_t value) {
    make_room();
    if (first == last) {
      single_[first] += value;
      return;
    }
    steps_[first] += value;
    steps_[last + 1] -= value;
  }
  /// Where to add what every bucket from the i-th on holds more than before; i <= buckets.
  [[nodiscard]] std::int64_t* steps() {
    make_room();
    return steps_.data();
  }
  void merge(const BucketSums& other) {
    if (other.single_.empty()) return;
    make_room();
    for (std::size_t i = 0; i < single_.size(); ++i) single_[i] += other.single_[i];
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] += other.steps_[i];
  }
  [[nodiscard]] std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> sums(buckets_);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < single_.size(); ++i) {
      sum += steps_[i];
      sums[i] = static_cast<std::uint64_t>(sum + single_[i]);
    }
    return sums;
  }

 private:
  void make_room() {
    if (single_.empty()) [[unlikely]]
      allocate();
  }
  void allocate();

  std::size_t buckets_;
  std::vector<std::int64_t> single_;  ///< of ranges of one bucket
  std::vector<std::int64_t> steps_;   ///< of the others: from one bucket to the next
};

/// In how many keys a bucket finds state at all. A key's state counts in every bucket that it
/// touches.
class LiveKeys {
 public:
  explicit LiveKeys(const Buckets& buckets) : buckets_(&buckets), sums_(buckets.count()) {}

  /// A key with state in the buckets [first, last].
  void add(std::size_t first, std::size_t last) { sums_.add(first, last, 1); }

  /// Keys whose charges count in windows of an epoch's grid, and whose state ends after the window
  /// of the last charge: `gone(t)` ns of it have gone at t, and it ends `life(n)` ns after the
  /// start of the window that has n charges, between one window and two, later with each. They are
  /// single units, charged at plain instants, key after key; the window is plain.
  template <class Gone, class Life>
  void add_windows(std::span<const std::int64_t> at, std::span<const BucketRun> runs,
                   const Gone& gone, const Life& life) {
    const Buckets buckets = *buckets_;
    std::int64_t* const steps = sums_.steps();
    const std::int64_t least_life = life(1);
    // The bucket after the last in which the state after the charges [first, end) of a key lives,
    // or `bound` if that is less.
    const auto dead_in = [&](std::size_t first, std::size_t end, std::size_t bound) {
      const std::int64_t start = at[end - 1] - gone(at[end - 1]);
      const std::size_t earliest = buckets.index(start + least_life - 1) + 1;
      if (earliest < bound && end - 1 > first && at[end - 2] >= start) {
        std::size_t others = end - 2;
        while (others > first && at[others - 1] >= start) --others;
        const std::int64_t left = start + life(end - others);
        return std::min(buckets.index(left - 1) + 1, bound);
      }
      return std::min(earliest, bound);
    };
    std::size_t first = 0;  // of the key
    std::size_t end = 0;
    std::size_t last_bucket = 0;
    for (const BucketRun& run : runs) {
      if (run.begins_key) {
        if (end > 0) --steps[dead_in(first, end, buckets.count())];
        first = end;
        ++steps[run.bucket];
      } else if (run.bucket > last_bucket + 1) {
        --steps[dead_in(first, end, run.bucket)];
        ++steps[run.bucket];
      }
      end = first + run.end;
      last_bucket = run.bucket;
    }
    --steps[dead_in(first, end, buckets.count())];
  }

  /// Follows one key: its next event lies in `bucket`, later than the last, or it has none and
  /// bucket is buckets.count(). `expires` returns Policy::expires_at of the state before it.
  template <class Expires>
  void cross(std::size_t bucket, const Expires& expires) {
    if (!live_) return;
    const std::int64_t until = expires().time_since_epoch().count();
    if (until > buckets_->end(end_)) end_ = buckets_->index(until - 1);
    if (end_ >= bucket) return;
    add(start_, end_);
    live_ = false;
  }
  /// A charge in `bucket`.
  void charge(std::size_t bucket) {
    if (live_) return;
    live_ = true;
    start_ = end_ = bucket;
  }

  [[nodiscard]] const BucketSums& sums() const noexcept { return sums_; }
  void merge(const LiveKeys& other) { sums_.merge(other.sums_); }

 private:
  friend class LiveUnits;

  const Buckets* buckets_;
  BucketSums sums_;
  bool live_ = false;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
};

/// How many units the logs hold, whose state grows and shrinks: a bucket counts the most that each
/// key held at any time in it.
class LiveUnits {
 public:
  /// A unit charged at a plain instant counts for `life` ns.
  LiveUnits(const Buckets& buckets, Duration life)
      : buckets_(&buckets),
        life_(life.count()),
        stay_(static_cast<std::size_t>((life_ - 1) / buckets.width().count())),
        late_(buckets.width().count() - (life_ - 1) % buckets.width().count()),
        sums_(buckets.count()) {}

  /// The charges of one key, in order and cut into `runs`; `cost` is empty when each is 1. The
  /// buckets in which it has state go to `keys` too.
  void add(const SlidingLog& log, std::span<const std::int64_t> at, std::span<const Cost> cost,
           std::span<const BucketRun> runs, LiveKeys& keys);

  /// The same for single units that were charged at plain instants, key after key. The log charged
  /// what it admitted, and refused when it held `limit`.
  void add_units(std::span<const std::int64_t> at, std::span<const BucketRun> runs,
                 std::int64_t limit, LiveKeys& keys);

  /// By bucket.
  [[nodiscard]] std::vector<std::uint64_t> values() const;
  void merge(const LiveUnits& other);

 private:
  /// Single units that were charged in a bucket.
  struct Charged {
    std::int64_t units = 0;
    std::int64_t late = 0;  ///< those that leave stay_ + 1 buckets on; the others do stay_ on
  };

  const Buckets* buckets_;
  std::int64_t life_;
  std::size_t stay_;
  std::int64_t late_;  ///< ns of a bucket after which a charge is late
  std::vector<Charged> charged_;
  BucketSums sums_;  ///< what the buckets hold more than by charged_
};

}  // namespace ratereplay
