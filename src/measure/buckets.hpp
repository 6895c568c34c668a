// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "divisor.hpp"
#include "ratereplay/arithmetic.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// Greatest number of buckets that --bucket may ask for.
inline constexpr std::size_t kMaxBuckets = 1'000'000;

/// Rows of a key, one after the other, that lie in one time bucket.
struct BucketRun {
  std::size_t end;  ///< the row of the key after the last; they start where the run before ends
  std::uint32_t bucket;  ///< Buckets::index of their instants
  bool begins_key;       ///< whether it is the first of its key
  bool thinned = false;  ///< whether others of the key in this bucket were refused
};

/// The grid of equal time buckets over a trace, aligned to multiples of the width. Instants outside
/// the trace belong to its first and last bucket.
class Buckets {
 public:
  /// first <= last; width >= 1 ns.
  Buckets(Instant first, Instant last, Duration width);

  /// How many buckets that makes: up to 2^64.
  static Wide count(Instant first, Instant last, Duration width) noexcept;
  /// The least round width that cuts the trace into at most 500 buckets.
  static Duration automatic_width(Instant first, Instant last) noexcept;

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] Duration width() const noexcept { return Duration{width_}; }
  [[nodiscard]] Instant start(std::size_t bucket = 0) const noexcept {
    // The sum fits; over more than half of all time its second part alone does not.
    return Instant{Duration{static_cast<std::int64_t>(
        static_cast<std::uint64_t>(start_) + bucket * static_cast<std::uint64_t>(width_))}};
  }
  /// The instant from which rows belong to a later bucket, in ns; the end of time for the last.
  [[nodiscard]] std::int64_t end(std::size_t bucket) const noexcept {
    return bucket + 1 < count_ ? start(bucket + 1).time_since_epoch().count()
                               : std::numeric_limits<std::int64_t>::max();
  }
  [[nodiscard]] std::size_t index(std::int64_t at) const noexcept {
    if (at <= start_) return 0;
    const std::uint64_t offset =
        static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(start_);
    return std::min(static_cast<std::size_t>(by_width_.quotient(offset)), count_ - 1);
  }

 private:
  std::int64_t start_;
  std::int64_t width_;
  Divisor by_width_;
  std::size_t count_;
};

}  // namespace ratereplay
