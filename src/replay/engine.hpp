// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keys/trace_store.hpp"
#include "measure/tally.hpp"
#include "report/result.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

struct ReplayOptions {
  Duration tick = kDefaultTick;
  std::optional<Duration> bucket;  ///< absent = Buckets::automatic_width
  std::size_t reference = 0;       ///< index of the policy the others are compared with
  std::size_t top = 10;            ///< refused keys to list
  std::optional<std::uint64_t> project_keys;
  unsigned threads = 1;
  Duration driver_timeout = std::chrono::seconds{10};  ///< for each answer of a program
};

/// Replays every key of `trace` through every policy: partition by partition, key by key, all lanes
/// while the key's rows are in cache. The same result for any number of threads. Rows are given
/// back as they are replayed when `last_use`. Error(kUsage) when `bucket` makes more than
/// kMaxBuckets.
[[nodiscard]] std::vector<PolicyResult> replay(TraceStore& trace,
                                               std::span<const PolicySpec> policies,
                                               const ReplayOptions& options, bool last_use);

/// The buckets of a replay. Error(kUsage) when `asked` makes more than kMaxBuckets.
[[nodiscard]] Buckets make_buckets(const TraceFacts& facts, const std::optional<Duration>& asked);

/// What a lane has found, as a result. `offered`: requests by bucket.
[[nodiscard]] PolicyResult result_of(const PolicySpec& spec, Tally& tally, const TraceStore& trace,
                                     const std::vector<std::uint64_t>& offered,
                                     const Buckets& buckets, const ReplayOptions& options);

}  // namespace ratereplay
