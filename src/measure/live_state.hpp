// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/buckets.hpp"
#include "ratereplay/arithmetic.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/policies/sliding_log.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// A sum over keys per bucket, built from ranges of buckets at constant cost each. Takes no memory
/// before the first.
class BucketSums {
 public:
  explicit BucketSums(std::size_t buckets) : buckets_(buckets) {}
  /// Adds `value` to every bucket of [first, last].
  void add(std::size_t first, std::size_t last, std::int64_t value) {
    if (single_.empty()) [[unlikely]]
      allocate();
    if (first == last) {
      single_[first] += value;
      return;
    }
    steps_[first] += value;
    steps_[last + 1] -= value;
  }
  void merge(const BucketSums& other) {
    if (other.single_.empty()) return;
    if (single_.empty()) allocate();
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

  /// A key with a charge at each of `at`, in order and cut into `runs`, whose state ends `longest`
  /// after the last charge or earlier. `expires_after(n, edge)` returns Policy::expires_at of the
  /// state after the first n charges, in ns, or anything up to `edge` when that is not later; n
  /// grows from call to call.
  template <class ExpiresAfter>
  void add(std::span<const std::int64_t> at, std::span<const BucketRun> runs, Duration longest,
           const ExpiresAfter& expires_after) {
    for (std::size_t run = 0; run < runs.size();) {
      const std::size_t first = runs[run].bucket;
      std::size_t last = first;
      std::size_t next = first;
      do {
        const auto [bucket, end] = runs[run++];
        next = run < runs.size() ? runs[run].bucket : buckets_->count();
        last = std::max(last, bucket);
        const std::int64_t edge = buckets_->end(bucket);
        if (elapsed(at[end - 1], edge) >= static_cast<std::uint64_t>(longest.count())) continue;
        const std::int64_t until = expires_after(end, edge);
        if (until > edge) last = std::max(last, buckets_->index(until - 1));
      } while (last >= next);
      add(first, last);
    }
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

  [[nodiscard]] const BucketSums& sums() const noexcept { return sums_; }
  void merge(const LiveUnits& other) { sums_.merge(other.sums_); }

 private:
  template <bool kWithCosts>
  void add_charges(const SlidingLog& policy, std::span<const std::int64_t> at,
                   std::span<const Cost> cost, std::span<const BucketRun> runs, LiveKeys& keys);

  const Buckets* buckets_;
  BucketSums sums_;
};

}  // namespace ratereplay
