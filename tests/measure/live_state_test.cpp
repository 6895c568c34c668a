// SPDX-License-Identifier: Apache-2.0
#include "measure/live_state.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "ratereplay/policies/fixed_window.hpp"
#include "ratereplay/policies/sliding_counter.hpp"
#include "replay/unit_rules.hpp"

namespace ratereplay {
namespace {

struct Rows {
  std::vector<std::int64_t> at;
  std::vector<BucketRun> runs;
};

Rows random_rows(std::mt19937_64& random) {
  Rows rows;
  rows.at.resize(1 + random() % 120);
  const std::uint64_t usual = 1 + random() % 30;
  std::int64_t now = -static_cast<std::int64_t>(random() % 300);
  for (std::int64_t& each : rows.at) {
    now += static_cast<std::int64_t>(random() % (random() % 9 == 0 ? 20 * usual : usual));
    each = now;
  }
  return rows;
}

/// Buckets over the rows and some time around them.
Buckets buckets_over(Rows& rows, std::mt19937_64& random) {
  const auto around = [&] { return static_cast<std::int64_t>(random() % 3 * 50); };
  const Buckets buckets(Instant{Duration{rows.at.front() - around()}},
                        Instant{Duration{rows.at.back() + around()}},
                        Duration{1 + static_cast<std::int64_t>(random() % 200)});
  for (std::size_t i = 0; i < rows.at.size(); ++i) {
    const std::size_t bucket = buckets.index(rows.at[i]);
    if (rows.runs.empty() || rows.runs.back().bucket != bucket) rows.runs.push_back({bucket, i});
    rows.runs.back().end = i + 1;
  }
  return buckets;
}

}  // namespace

TEST_CASE("live units: single units are told as charges of any cost are") {
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    CAPTURE(round);
    Rows rows = random_rows(random);
    const Buckets buckets = buckets_over(rows, random);
    const SlidingLog log({1 + static_cast<std::int64_t>(random() % 20),
                          Duration{1 + static_cast<std::int64_t>(random() % 400)}});
    // What is left of the rows and their runs when the log has refused some.
    std::vector<std::int64_t> admitted(rows.at.size());
    std::vector<std::size_t> refused_in(rows.runs.size());
    admitted.resize(replay_units(log, rows.at, admitted.data(),
                                 [&](std::size_t first, std::size_t end, std::int64_t) {
                                   for (; first < end; ++first) {
                                     std::size_t run = 0;
                                     while (rows.runs[run].end <= first) ++run;
                                     ++refused_in[run];
                                     ++refused;
                                   }
                                 }));
    Rows left;
    left.at = admitted;
    for (std::size_t i = 0; i < left.at.size(); ++i) {
      const std::size_t bucket = buckets.index(left.at[i]);
      if (left.runs.empty() || left.runs.back().bucket != bucket) left.runs.push_back({bucket, i});
      left.runs.back().end = i + 1;
    }
    LiveUnits units(buckets);
    LiveKeys keys(buckets);
    const LiveUnits::UnitAdder adder(units, keys, log.limit().window.count(), log.limit().count);
    adder.add({admitted, rows.runs, refused_in});
    LiveUnits other_units(buckets);
    LiveKeys other_keys(buckets);
    other_units.add(log, left.at, {}, left.runs, other_keys);
    CHECK(units.sums().values() == other_units.sums().values());
    CHECK(keys.sums().values() == other_keys.sums().values());
  }
  CHECK(refused > 50'000);
}

TEST_CASE("live keys: windows of a grid are told as the state after each charge is") {
  std::mt19937_64 random(2);
  const auto compare = [&](const auto& policy) {
    Rows rows = random_rows(random);
    const Buckets buckets = buckets_over(rows, random);
    typename std::remove_cvref_t<decltype(policy)>::State state{};
    LiveKeys expected(buckets);
    for (const std::int64_t at : rows.at) {
      expected.cross(buckets.index(at), [&] { return policy.expires_at(state); });
      REQUIRE(policy.commit(state, Instant{Duration{at}}, 1) == Outcome::kAdmitted);
      expected.charge(buckets.index(at));
    }
    expected.cross(buckets.count(), [&] { return policy.expires_at(state); });
    LiveKeys keys(buckets);
    const EpochGrid grid(policy.limit().window);
    const LiveKeys::WindowAdder adder(
        keys, grid.window(), [&](std::int64_t at) { return grid.gone(at); },
        [&](std::size_t charges) {
          typename std::remove_cvref_t<decltype(policy)>::State alone{};
          policy.commit(alone, Instant{}, static_cast<Cost>(charges));
          return policy.expires_at(alone).time_since_epoch().count();
        });
    adder.add({rows.at, rows.runs, {}});
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
