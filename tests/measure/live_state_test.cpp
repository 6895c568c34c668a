// SPDX-License-Identifier: Apache-2.0
#include "measure/live_state.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "ratereplay/policies/fixed_window.hpp"
#include "ratereplay/policies/sliding_counter.hpp"
#include "replay/unit_rules.hpp"

namespace ratereplay {
namespace {

/// Requests of some keys, key after key.
struct Keys {
  std::vector<std::vector<std::int64_t>> at;

  [[nodiscard]] std::vector<std::int64_t> all() const {
    std::vector<std::int64_t> rows;
    for (const auto& each : at) rows.insert(rows.end(), each.begin(), each.end());
    return rows;
  }
};

std::vector<std::int64_t> random_instants(std::mt19937_64& random) {
  std::vector<std::int64_t> at(1 + random() % (random() % 5 == 0 ? 400 : 60));
  const std::uint64_t usual = 1 + random() % (random() % 3 == 0 ? 3 : 30);
  std::int64_t now = -static_cast<std::int64_t>(random() % 300);
  for (std::int64_t& each : at) {
    now += static_cast<std::int64_t>(random() % (random() % 9 == 0 ? 20 * usual : usual));
    each = now;
  }
  return at;
}

Keys random_keys(std::mt19937_64& random) {
  Keys keys;
  keys.at.resize(1 + random() % 4);
  for (auto& each : keys.at) each = random_instants(random);
  return keys;
}

/// Buckets over the rows and some time around them.
Buckets buckets_over(const Keys& keys, std::mt19937_64& random) {
  const auto around = [&] { return static_cast<std::int64_t>(random() % 3 * 50); };
  const std::vector<std::int64_t> rows = keys.all();
  const auto [least, greatest] = std::ranges::minmax(rows);
  return {Instant{Duration{least - around()}}, Instant{Duration{greatest + around()}},
          Duration{1 + static_cast<std::int64_t>(random() % 200)}};
}

/// Adds the runs of a key.
void add_runs(std::span<const std::int64_t> at, const Buckets& buckets,
              std::vector<BucketRun>& runs) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto bucket = static_cast<std::uint32_t>(buckets.index(at[i]));
    if (i == 0 || runs.back().bucket != bucket) runs.push_back({i, bucket, i == 0});
    runs.back().end = i + 1;
  }
}

std::vector<BucketRun> runs_of(std::span<const std::int64_t> at, const Buckets& buckets) {
  std::vector<BucketRun> runs;
  add_runs(at, buckets, runs);
  return runs;
}

std::vector<BucketRun> runs_of(const Keys& keys, const Buckets& buckets) {
  std::vector<BucketRun> runs;
  for (const auto& each : keys.at) add_runs(each, buckets, runs);
  return runs;
}

Duration life_of(const SlidingLog& log) { return log.leaves_at(Instant{}).time_since_epoch(); }

SlidingLog random_log(std::int64_t limit, std::uint64_t longest, std::mt19937_64& random) {
  Options options;
  if (random() % 3 == 0) options.boundary = Boundary::kClosed;
  return SlidingLog({limit, Duration{1 + static_cast<std::int64_t>(random() % longest)}}, options);
}

/// The sums of the log's charges as those of any cost are told.
std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> plain_sums(
    const SlidingLog& log, const Keys& charged, const Buckets& buckets) {
  LiveUnits units(buckets, life_of(log));
  LiveKeys keys(buckets);
  for (const auto& each : charged.at) units.add(log, each, {}, runs_of(each, buckets), keys);
  return {units.values(), keys.sums().values()};
}

}  // namespace

TEST_CASE("live units: what a log admits of single units is told as charges of any cost are") {
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    CAPTURE(round);
    const std::vector<std::int64_t> at = random_instants(random);
    const Buckets buckets = buckets_over({{at}}, random);
    const SlidingLog log = random_log(1 + static_cast<std::int64_t>(random() % 20), 400, random);
    std::vector<std::uint32_t> thinned;
    std::vector<std::int64_t> admitted(at.size());
    admitted.resize(replay_units(
        log, at, admitted.data(), [&](std::size_t first, std::size_t end, std::int64_t) {
          refused += end - first;
          for (; first < end; ++first) {
            thinned.push_back(static_cast<std::uint32_t>(buckets.index(at[first])));
          }
        }));
    std::vector<BucketRun> runs = runs_of(admitted, buckets);
    for (BucketRun& run : runs) run.thinned = std::ranges::count(thinned, run.bucket) > 0;
    LiveUnits units(buckets, life_of(log));
    LiveKeys keys(buckets);
    units.add_units(admitted, runs, log.limit().count, keys);
    const auto [expected_units, expected_keys] = plain_sums(log, {{admitted}}, buckets);
    CHECK(units.values() == expected_units);
    CHECK(keys.sums().values() == expected_keys);
  }
  CHECK(refused > 50'000);
}

TEST_CASE("live units: keys that are never refused are told together as one by one, and merged") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    const Keys charged = random_keys(random);
    const Buckets buckets = buckets_over(charged, random);
    const SlidingLog log = random_log(1'000'000, 600, random);
    LiveUnits units(buckets, life_of(log));
    LiveKeys keys(buckets);
    LiveUnits sum(buckets, life_of(log));
    for (int times = 0; times < 2; ++times) {
      units.add_units(charged.all(), runs_of(charged, buckets), log.limit().count, keys);
      sum.merge(units);
    }
    auto [expected_units, expected_keys] = plain_sums(log, charged, buckets);
    for (std::uint64_t& each : expected_keys) each *= 2;
    CHECK(keys.sums().values() == expected_keys);
    for (std::uint64_t& each : expected_units) each *= 3;  // of the first time, then of both
    CHECK(sum.values() == expected_units);
  }
}

TEST_CASE("live keys: windows of a grid are told as the state after each charge is") {
  std::mt19937_64 random(2);
  const auto compare = [&](const auto& policy) {
    const Keys charged = random_keys(random);
    const Buckets buckets = buckets_over(charged, random);
    LiveKeys expected(buckets);
    for (const auto& rows : charged.at) {
      typename std::remove_cvref_t<decltype(policy)>::State state{};
      for (const std::int64_t at : rows) {
        expected.cross(buckets.index(at), [&] { return policy.expires_at(state); });
        REQUIRE(policy.commit(state, Instant{Duration{at}}, 1) == Outcome::kAdmitted);
        expected.charge(buckets.index(at));
      }
      expected.cross(buckets.count(), [&] { return policy.expires_at(state); });
    }
    LiveKeys keys(buckets);
    const EpochGrid grid(policy.limit().window);
    keys.add_windows(
        charged.all(), runs_of(charged, buckets), [&](std::int64_t at) { return grid.gone(at); },
        [&](std::size_t charges) {
          typename std::remove_cvref_t<decltype(policy)>::State alone{};
          policy.commit(alone, Instant{}, static_cast<Cost>(charges));
          return policy.expires_at(alone).time_since_epoch().count();
        });
    CHECK(keys.sums().values() == expected.sums().values());
  };
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const Limit limit{1000, Duration{1 + static_cast<std::int64_t>(random() % 300)}};
    compare(FixedWindow(limit));
    Options options;
    options.round = std::vector{Round::kFloor, Round::kExact, Round::kNearest}[random() % 3];
    compare(SlidingCounter(limit, options));
  }
}

}  // namespace ratereplay
