// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/buckets.hpp"
#include "measure/histogram.hpp"
#include "measure/live_state.hpp"
#include "measure/top_keys.hpp"
#include "measure/worst_window.hpp"
#include "report/result.hpp"

namespace ratereplay {

/// What one lane has seen so far. Each thread has its own per lane; merging is independent of the
/// order, so the sum is the same however keys were spread over threads.
struct Tally {
  /// No key has more than `most` units admitted in a trailing window. In a log, each that was
  /// charged at a plain instant counts for `life`.
  Tally(Duration tick, Duration window, const Buckets& buckets, std::size_t top_size, bool queues,
        std::uint64_t most = kNeverEnough, Duration life = Duration{1})
      : retry_after(tick),
        worst(window, most),
        live_keys(buckets),
        live_units(buckets, life),
        refused_in(buckets.count()),
        top(top_size) {
    if (queues) delay.emplace(Duration{1});
  }

  void merge(const Tally& other) {
    admitted += other.admitted;
    refused += other.refused;
    never += other.never;
    keys_refused += other.keys_refused;
    longest_queue = std::max(longest_queue, other.longest_queue);
    retry_after.merge(other.retry_after);
    if (delay) delay->merge(*other.delay);
    worst.merge(other.worst);
    agreement.looser += other.agreement.looser;
    agreement.stricter += other.agreement.stricter;
    live_keys.merge(other.live_keys);
    live_units.merge(other.live_units);
    for (std::size_t i = 0; i < refused_in.size(); ++i) refused_in[i] += other.refused_in[i];
    top.merge(other.top);
  }

  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  std::uint64_t never = 0;
  std::uint64_t keys_refused = 0;
  std::uint64_t longest_queue = 0;  ///< units
  Histogram retry_after;
  std::optional<Histogram> delay;
  WorstWindowSearch worst;
  Agreement agreement;  ///< where lanes differ; `agree` is what is left of all rows
  LiveKeys live_keys;
  LiveUnits live_units;                   ///< of a log; stays empty for every other policy
  std::vector<std::uint64_t> refused_in;  ///< by bucket
  TopKeys top;
};

}  // namespace ratereplay
