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

/// Charges of one unit each for one key.
struct UnitCharges {
  std::span<const std::int64_t> at;      ///< ns, in order
  std::span<const BucketRun> rows;       ///< of all its requests
  std::span<const std::size_t> refused;  ///< how many of each run were; empty = none

  /// Calls take(bucket, first, end, some_refused) for each bucket with charges, which are those
  /// from `first` to before `end`.
  template <class Take>
  void for_each_run(const Take& take) const {
    std::size_t row = 0;
    std::size_t first = 0;
    for (std::size_t run = 0; run < rows.size(); ++run) {
      const std::size_t out = refused.empty() ? 0 : refused[run];
      const std::size_t end = first + (rows[run].end - row) - out;
      row = rows[run].end;
      if (first == end) continue;
      take(rows[run].bucket, first, end, out > 0);
      first = end;
    }
  }
};

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
  /// start of the window that has n charges, between one window and two, later with each. Instants
  /// and window are plain.
  template <class Gone, class Life>
  class WindowAdder {
   public:
    WindowAdder(LiveKeys& sums, std::int64_t window, const Gone& gone, const Life& life)
        : buckets_(*sums.buckets_),
          steps_(sums.sums_.steps()),
          window_(window),
          least_life_(life(1)),
          gone_(gone),
          life_(life) {}

    void add(const UnitCharges& charges) const {
      const std::int64_t* const at = charges.at.data();
      std::int64_t start = 0;
      std::int64_t end = std::numeric_limits<std::int64_t>::min();
      // The bucket after the last in which the state after the first n charges lives.
      const auto dead_in = [&](std::size_t n) {
        const std::size_t earliest = buckets_.index(start + least_life_ - 1);
        if (earliest == buckets_.index(start + 2 * window_ - 1)) return earliest + 1;
        std::size_t first = n - 1;
        while (first > 0 && at[first - 1] >= start) --first;
        return buckets_.index(start + life_(n - first) - 1) + 1;
      };
      charges.for_each_run([&](std::size_t next, std::size_t first, std::size_t, bool) {
        if (first == 0) {
          ++steps_[next];
          return;
        }
        const std::int64_t last = at[first - 1];
        if (last >= end) {
          start = last - gone_(last);
          end = start + window_;
        }
        if (at[first] < end) return;
        --steps_[std::min(dead_in(first), next)];
        ++steps_[next];
      });
      const std::int64_t last = charges.at.back();
      if (last >= end) start = last - gone_(last);
      --steps_[dead_in(charges.at.size())];
    }

   private:
    Buckets buckets_;
    std::int64_t* steps_;
    std::int64_t window_;
    std::int64_t least_life_;
    Gone gone_;
    Life life_;
  };

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
  explicit LiveUnits(const Buckets& buckets) : buckets_(&buckets), sums_(buckets.count()) {}

  /// The charges of one key, in order and cut into `runs`; `cost` is empty when each is 1. The
  /// buckets in which it has state go to `keys` too.
  void add(const SlidingLog& log, std::span<const std::int64_t> at, std::span<const Cost> cost,
           std::span<const BucketRun> runs, LiveKeys& keys);

  /// The same for single units that were charged at plain instants, key after key. Each counts for
  /// `life` ns; the log charged what it admitted, and refused when it held `limit`.
  class UnitAdder {
   public:
    UnitAdder(LiveUnits& sums, LiveKeys& keys, std::int64_t life, std::int64_t limit)
        : buckets_(*sums.buckets_),
          units_(sums.sums_.steps()),
          live_(keys.sums_.steps()),
          life_(life),
          limit_(limit) {}

    void add(const UnitCharges& charges) const {
      // Nothing that is written here can change copies.
      const Buckets buckets = buckets_;
      std::int64_t* const units = units_;
      std::int64_t* const live = live_;
      const std::int64_t life = life_;
      const std::int64_t* const at = charges.at.data();
      // The bucket after the one that a charge leaves in.
      const auto dead_in = [&](std::int64_t charged) {
        return buckets.index(charged + life - 1) + 1;
      };
      // Every charge counts from its bucket to the one it leaves in.
      for (const std::int64_t each : charges.at) --units[dead_in(each)];
      std::size_t oldest = 0;  // of the charges that the bucket starts with
      charges.for_each_run([&](std::size_t bucket, std::size_t first, std::size_t end, bool full) {
        units[bucket] += static_cast<std::int64_t>(end - first);
        ++live[bucket];
        if (first > 0) {
          const std::size_t dead = dead_in(at[first - 1]);
          --live[std::min(dead, bucket)];
          // Mostly none, one or two have left, which a jump could not tell beforehand.
          const std::int64_t start = buckets.start(bucket).time_since_epoch().count();
          oldest += at[oldest] + life <= start ? 1 : 0;
          oldest += at[oldest] + life <= start ? 1 : 0;
          while (at[oldest] + life <= start) ++oldest;
        }
        // Where some leave before the bucket's last comes, that is too much.
        if (full) {
          correct(bucket, limit_ - static_cast<std::int64_t>(end - oldest));
        } else if (at[end - 1] - at[oldest] >= life) {
          // A window that never shrinks, as in window_peak.
          std::size_t best = first - oldest;
          for (std::size_t i = first; i < end; ++i) best += at[i] - at[i - best] < life ? 1 : 0;
          correct(bucket,
                  static_cast<std::int64_t>(best) - static_cast<std::int64_t>(end - oldest));
        }
      });
      --live[dead_in(charges.at.back())];
    }

   private:
    void correct(std::size_t bucket, std::int64_t by) const noexcept {
      units_[bucket] += by;
      units_[bucket + 1] -= by;
    }

    Buckets buckets_;
    std::int64_t* units_;
    std::int64_t* live_;
    std::int64_t life_;
    std::int64_t limit_;
  };

  [[nodiscard]] const BucketSums& sums() const noexcept { return sums_; }
  void merge(const LiveUnits& other) { sums_.merge(other.sums_); }

 private:
  const Buckets* buckets_;
  BucketSums sums_;
};

}  // namespace ratereplay
