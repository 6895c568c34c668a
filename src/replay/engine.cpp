// SPDX-License-Identifier: Apache-2.0
#include "replay/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

#include "interrupt.hpp"
#include "keys/shown_key.hpp"
#include "parallel.hpp"
#include "replay/family.hpp"
#include "replay/lane.hpp"
#include "spec/duration_text.hpp"

namespace ratereplay {
namespace {

__extension__ using Bytes = unsigned __int128;

/// As deployed, a log holds one 8-byte time for each unit.
constexpr std::uint64_t kLogBytesPerUnit = 8;

std::uint64_t bytes_per_key(const AnyPolicy& policy) {
  return std::visit(
      [](const auto& made) { return static_cast<std::uint64_t>(made.bytes_per_key()); }, policy);
}

std::string digits(Bytes value) { return fmt::format("{}", value); }

/// One thread's lanes, scratch and sums.
struct Worker {
  Worker(std::span<const PolicySpec> policies, std::span<const LaneFamily> all_families,
         const ReplayOptions& options, const Buckets& buckets)
      : families(all_families), calm(all_families), offered(buckets.count()) {
    for (const PolicySpec& spec : policies) {
      lanes.push_back(make_lane(spec.policy, options.tick, buckets, options.top, admissions));
    }
    verdicts.resize(lanes.size());
  }

  /// One key through every lane.
  void replay(const KeyRows& rows, std::size_t reference) {
    calm.start(rows);
    for (const LaneFamily& family : families) {
      const std::size_t first_calm = calm.first_calm(family);
      for (std::size_t i = 0; i < first_calm; ++i) {
        const std::size_t lane = family.members[i].lane;
        lanes[lane]->replay(rows, verdicts[lane]);
        if (verdicts[lane].refused > 0) refusing.push_back(lane);
      }
      if (first_calm < family.members.size()) {
        lanes[family.members[first_calm].lane]->replay_calm(rows);
      }
    }
    compare_with(reference);
  }

  /// Adds what the lanes of a family did for each other to their tallies.
  void share_calm() {
    for (const LaneFamily& family : families) {
      const Tally* before = nullptr;
      for (const LaneFamily::Member& member : family.members) {
        Tally& calm_tally = lanes[member.lane]->calm_tally();
        if (before != nullptr) calm_tally.merge(*before);
        lanes[member.lane]->tally().merge(calm_tally);
        before = &calm_tally;
      }
    }
  }

  /// Where lanes and reference differ on the key at hand; its verdicts are forgotten.
  void compare_with(std::size_t reference) {
    if (verdicts[reference].refused > 0) {
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        Agreement& agreement = lanes[lane]->tally().agreement;
        if (verdicts[lane].refused > 0) {
          compare(verdicts[lane].outcome, verdicts[reference].outcome, agreement);
        } else {
          agreement.looser += verdicts[reference].refused;
        }
      }
    } else {
      for (const std::size_t lane : refusing) {
        lanes[lane]->tally().agreement.stricter += verdicts[lane].refused;
      }
    }
    for (const std::size_t lane : refusing) verdicts[lane].refused = 0;
    refusing.clear();
  }

  std::span<const LaneFamily> families;
  CalmCheck calm;
  Admissions admissions;
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<Verdicts> verdicts;      ///< of the key at hand
  std::vector<std::size_t> refusing;   ///< lanes that refused some of its rows
  std::vector<std::uint64_t> offered;  ///< requests by bucket
  GroupedRows grouped;
  std::uint64_t shared_stamps = 0;
  std::vector<BucketRun> runs;
};

/// `at` in order.
void cut_into_runs(std::span<const std::int64_t> at, const Buckets& buckets,
                   std::vector<BucketRun>& runs) {
  runs.clear();
  for (std::size_t i = 0; i < at.size();) {
    const std::size_t bucket = buckets.index(at[i]);
    const std::int64_t end = buckets.end(bucket);
    if (bucket + 1 == buckets.count()) {
      i = at.size();
    } else {
      while (++i < at.size() && at[i] < end) {
      }
    }
    runs.push_back({bucket, i});
  }
}

void replay_partition(const Partition& partition, Order order, std::size_t reference,
                      const Buckets& buckets, Worker& worker) {
  GroupedRows& grouped = worker.grouped;
  partition.group(order, grouped);
  worker.shared_stamps += grouped.shared_stamps;
  for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
    const std::size_t first = grouped.first[key];
    const std::size_t size = grouped.first[key + 1] - first;
    if (size == 0) continue;
    KeyRows rows;
    rows.key = grouped.keys[key];
    rows.at = std::span(grouped.at).subspan(first, size);
    if (!grouped.cost.empty()) rows.cost = std::span(grouped.cost).subspan(first, size);

    cut_into_runs(rows.at, buckets, worker.runs);
    rows.runs = worker.runs;
    std::size_t start = 0;
    for (const BucketRun& run : rows.runs) {
      worker.offered[run.bucket] += run.end - start;
      start = run.end;
    }

    worker.replay(rows, reference);
  }
}

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
    series.live_bytes = tally.live_units.sums().values();
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
  const std::uint64_t count = Buckets::count(facts.first, facts.last, *asked);
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
  std::vector<std::unique_ptr<Worker>> workers(options.threads);
  // The partitions with the most rows go first, so that no thread is left with a big one at the
  // end.
  std::vector<std::size_t> order(trace.partitions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trace.partitions[a].rows() > trace.partitions[b].rows();
  });
  std::atomic<std::size_t> next{0};
  in_parallel(options.threads, [&](unsigned thread) {
    workers[thread] = std::make_unique<Worker>(policies, families, options, buckets);
    for (std::size_t i = next++; i < order.size(); i = next++) {
      stop_if_interrupted();
      Partition& partition = trace.partitions[order[i]];
      replay_partition(partition, trace.order, options.reference, buckets, *workers[thread]);
      if (last_use) partition.drop_rows();
    }
  });

  for (const auto& worker : workers) worker->share_calm();
  Worker& total = *workers.front();
  trace.facts.shared_stamps = 0;
  for (const auto& worker : workers) trace.facts.shared_stamps += worker->shared_stamps;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    for (std::size_t lane = 0; lane < policies.size(); ++lane) {
      total.lanes[lane]->tally().merge(workers[i]->lanes[lane]->tally());
    }
    std::transform(total.offered.begin(), total.offered.end(), workers[i]->offered.begin(),
                   total.offered.begin(), std::plus<>());
  }
  std::vector<PolicyResult> results;
  for (std::size_t lane = 0; lane < policies.size(); ++lane) {
    results.push_back(result_of(policies[lane], total.lanes[lane]->tally(), trace, total.offered,
                                buckets, options));
  }
  return results;
}

}  // namespace ratereplay
