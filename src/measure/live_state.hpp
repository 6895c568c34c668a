// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/buckets.hpp"
#include "ratereplay/policies/sliding_log.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// A sum over keys per bucket, built from ranges of buckets at constant cost each.
class BucketSums {
 public:
  explicit BucketSums(std::size_t buckets) : steps_(buckets + 1) {}

  /// Adds `value` to every bucket of [first, last].
  void add(std::size_t first, std::size_t last, std::int64_t value) {
    steps_[first] += value;
    steps_[last + 1] -= value;
  }
  void merge(const BucketSums& other) {
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] += other.steps_[i];
  }
  [[nodiscard]] std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> sums(steps_.size() - 1);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sum += steps_[i];
      sums[i] = static_cast<std::uint64_t>(sum);
    }
    return sums;
  }

 private:
  std::vector<std::int64_t> steps_;
};

/// Follows one key at a time and notes in which buckets it has state at all. A key's state counts
/// in every bucket that it touches.
class LiveKeys {
 public:
  explicit LiveKeys(const Buckets& buckets) : buckets_(&buckets), sums_(buckets.count()) {}

  /// The next event of the key lies in `bucket`, later than the last, or it has none and bucket is
  /// buckets.count(). `expires` returns Policy::expires_at of the state before it.
  template <class Expires>
  void cross(std::size_t bucket, const Expires& expires) {
    if (!live_) return;
    const std::int64_t until = expires().time_since_epoch().count();
    if (until > buckets_->end(end_)) end_ = buckets_->index(until - 1);
    if (end_ >= bucket) return;
    sums_.add(start_, end_, 1);
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

/// The same for a log, whose state grows and shrinks: a bucket counts the most units that the key
/// held at any time in it.
class LiveUnits {
 public:
  explicit LiveUnits(const Buckets& buckets) : buckets_(&buckets), sums_(buckets.count()) {}

  /// The next event of the key lies in `bucket`, or it has none and bucket is buckets.count();
  /// `state` is that before it.
  void cross(std::size_t bucket, const SlidingLog& log, const SlidingLog::State& state);
  /// `state` is that after a charge in the bucket crossed to.
  void charge(const SlidingLog::State& state) {
    most_ = std::max(most_, static_cast<std::int64_t>(state.units()));
  }

  [[nodiscard]] const BucketSums& sums() const noexcept { return sums_; }
  void merge(const LiveUnits& other) { sums_.merge(other.sums_); }

 private:
  const Buckets* buckets_;
  BucketSums sums_;
  std::int64_t most_ = 0;  ///< in bucket_ so far
  std::size_t bucket_ = 0;
};

}  // namespace ratereplay
