// SPDX-License-Identifier: Apache-2.0
#include "replay/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

#include "keys/shown_key.hpp"
#include "parallel.hpp"
#include "replay/worker.hpp"
#include "spec/duration_text.hpp"

namespace ratereplay {
namespace {

__extension__ using Bytes = unsigned __int128;

/// As deployed, a log holds one 8-byte time for each unit.
constexpr std::uint64_t kLogBytesPerUnit = 8;

/// Rows of a key from which on it may be worth while to spread its lanes over threads.
constexpr std::uint64_t kLeastShare = std::uint64_t{1} << 15;

std::uint64_t bytes_per_key(const AnyPolicy& policy) {
  return std::visit(
      [](const auto& made) { return static_cast<std::uint64_t>(made.bytes_per_key()); }, policy);
}

std::string digits(Bytes value) { return fmt::format("{}", value); }

Series series_of(const Tally& tally, const std::vector<std::uint64_t>& offered,
                 const Buckets& buckets, const AnyPolicy& policy) {
  Series series;
  series.bucket = buckets.width();
  series.start = buckets.start();
  series.offered = offered;
  series.refused = tally.refused_in;
  series.admitted.resize(offered.size());
  std::transform(offered.begin(), offered.end(), series.refused.begin(), series.admitted.begin(),
                 std::minus<>());
  series.live_keys = tally.live_keys.sums().values();
  std::uint64_t bytes_each = 0;
  if (std::holds_alternative<SlidingLog>(policy)) {
    series.live_bytes = tally.live_units.values();
    bytes_each = kLogBytesPerUnit;
  } else {
    series.live_bytes = series.live_keys;
    bytes_each = bytes_per_key(policy);
  }
  for (std::uint64_t& bytes : series.live_bytes) bytes *= bytes_each;
  return series;
}

}  // namespace

PolicyResult result_of(const PolicySpec& spec, Tally& tally, const TraceStore& trace,
                       const std::vector<std::uint64_t>& offered, const Buckets& buckets,
                       const ReplayOptions& options) {
  PolicyResult result{
      .name = spec.name, .spec = spec.canonical, .policy = spec.policy, .driver = spec.driver};
  result.admitted = tally.admitted;
  result.refused = tally.refused;
  result.never = tally.never;
  result.keys_refused = tally.keys_refused;
  result.retry_after = tally.retry_after.distribution();
  if (tally.never > 0) {
    result.retry_or_never = {tally.retry_after.quantile(50, tally.never),
                             tally.retry_after.quantile(90, tally.never),
                             tally.retry_after.quantile(99, tally.never)};
  }
  if (tally.delay) {
    result.delay = tally.delay->distribution();
    result.longest_queue = tally.longest_queue;
  }
  if (tally.worst.admitted() > 0) {
    result.worst = {tally.worst.admitted(), shown_key(tally.worst.key().text(), trace.key),
                    tally.worst.at()};
  }
  result.agreement = tally.agreement;
  result.agreement.agree =
      tally.admitted + tally.refused - tally.agreement.looser - tally.agreement.stricter;
  result.series = series_of(tally, offered, buckets, spec.policy);

  const std::vector<std::uint64_t>& live = result.series.live_bytes;
  const auto peak = std::max_element(live.begin(), live.end());
  const std::uint64_t per_key = bytes_per_key(spec.policy);
  MemoryUse& memory = result.memory.emplace();
  memory.bytes_per_key = per_key;
  memory.reserved_bytes = digits(Bytes{per_key} * trace.facts.keys);
  memory.live_peak_bytes = digits(*peak);
  memory.live_peak_at = buckets.start(static_cast<std::size_t>(peak - live.begin()));
  if (options.project_keys) {
    memory.projected =
        Projection{*options.project_keys, digits(Bytes{per_key} * *options.project_keys)};
  }
  for (const TopKeys::Entry& entry : tally.top.sorted()) {
    result.top_keys.push_back({shown_key(entry.key.text(), trace.key), entry.requests,
                               entry.refused, Instant{Duration{entry.first_refused}}});
  }
  return result;
}

Buckets make_buckets(const TraceFacts& facts, const std::optional<Duration>& asked) {
  if (!asked) {
    return {facts.first, facts.last, Buckets::automatic_width(facts.first, facts.last)};
  }
  const Wide count = Buckets::count(facts.first, facts.last, *asked);
  if (count > kMaxBuckets) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--bucket {} cuts this trace into {} buckets; at most {} can be kept",
                            duration_text(*asked), count, kMaxBuckets),
                {"take a wider bucket, or leave --bucket out"});
  }
  return {facts.first, facts.last, *asked};
}

std::vector<PolicyResult> replay(TraceStore& trace, std::span<const PolicySpec> policies,
                                 const ReplayOptions& options, bool last_use) {
  const Buckets buckets = make_buckets(trace.facts, options.bucket);
  const std::vector<LaneFamily> families = families_of(policies);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned thread = 0; thread < options.threads; ++thread) {
    workers.push_back(std::make_unique<Worker>(policies, families, options, buckets));
  }
  // The partitions with the most rows go first, so that no thread is left with a big one at the
  // end.
  std::vector<std::size_t> order(trace.partitions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trace.partitions[a].rows() > trace.partitions[b].rows();
  });
  std::span<const std::size_t> left(order);
  if (options.threads > 1) {
    // A key with more rows than a thread's share would keep the others waiting.
    const std::uint64_t share = std::max(trace.facts.requests / options.threads / 2, kLeastShare);
    for (; !left.empty() && trace.partitions[left.front()].rows() >= share;
         left = left.subspan(1)) {
      Partition& partition = trace.partitions[left.front()];
      workers.front()->group(trace, partition);
      workers.front()->replay_keys(workers, share);
      if (last_use) partition.drop_rows();
    }
  }
  share_out(options.threads, left.size(), [&](unsigned thread, std::size_t i) {
    Partition& partition = trace.partitions[left[i]];
    workers[thread]->group(trace, partition);
    workers[thread]->replay_keys();
    if (last_use) partition.drop_rows();
  });

  for (const auto& worker : workers) worker->share_calm();
  Worker& total = *workers.front();
  for (std::size_t i = 1; i < workers.size(); ++i) total.merge(*workers[i]);
  trace.facts.shared_stamps = total.shared_stamps();
  std::vector<PolicyResult> results;
  for (std::size_t lane = 0; lane < policies.size(); ++lane) {
    results.push_back(
        result_of(policies[lane], total.tally(lane), trace, total.offered(), buckets, options));
  }
  return results;
}

}  // namespace ratereplay
