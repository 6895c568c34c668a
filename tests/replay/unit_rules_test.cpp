// SPDX-License-Identifier: Apache-2.0
#include "replay/unit_rules.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "ratereplay/policy.hpp"

namespace ratereplay {
namespace {

/// Seeded instants in order, some alike, with pauses and bursts.
std::vector<std::int64_t> random_instants(std::mt19937_64& random, std::int64_t start,
                                          std::int64_t unit) {
  std::vector<std::int64_t> at(1 + random() % 200);
  const std::uint64_t usual = 1 + random() % 40;
  for (std::int64_t& each : at) {
    start += static_cast<std::int64_t>(random() % (random() % 9 == 0 ? 20 * usual : usual)) * unit;
    each = start;
  }
  return at;
}

struct Row {
  bool admitted;
  std::int64_t due;  ///< when it is not
  bool operator==(const Row&) const = default;
};

/// One request after the other through the policy itself.
template <class P>
std::vector<Row> one_by_one(const P& policy, const std::vector<std::int64_t>& at) {
  std::vector<Row> rows;
  typename P::State state{};
  for (const std::int64_t each : at) {
    const Instant now{Duration{each}};
    const bool admitted = policy.commit(state, now, 1) == Outcome::kAdmitted;
    rows.push_back({admitted, admitted ? 0 : policy.due(state, now, 1).time_since_epoch().count()});
  }
  return rows;
}

std::vector<Row> in_stretches(const std::vector<std::int64_t>& at, const auto& replay) {
  std::vector<Row> rows(at.size(), {true, 0});
  std::vector<std::int64_t> admitted(at.size());
  const std::size_t count =
      replay(admitted.data(), [&](std::size_t first, std::size_t end, std::int64_t due) {
        REQUIRE(first < end);
        REQUIRE(end <= at.size());
        for (; first < end; ++first) rows[first] = {false, due};
      });
  admitted.resize(count);
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (rows[i].admitted) expected.push_back(at[i]);
  }
  CHECK(admitted == expected);
  return rows;
}

const std::vector<std::int64_t> kStarts = {0, -2000, 1'767'225'600'000'000'000, -kPlainTime + 1,
                                           kPlainTime - 2'000'000};

}  // namespace

TEST_CASE("unit rules: a log told in stretches decides as its own commit does") {
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const std::int64_t unit = std::vector<std::int64_t>{1, 3, 100}[random() % 3];
    const std::vector<std::int64_t> at =
        random_instants(random, kStarts[random() % kStarts.size()], unit);
    Options options;
    if (random() % 2 == 0) options.boundary = Boundary::kClosed;
    const SlidingLog log({1 + static_cast<std::int64_t>(random() % 30),
                          Duration{1 + static_cast<std::int64_t>(random() % 900)}},
                         options);
    REQUIRE(is_plain(log));
    REQUIRE(are_plain(at));
    const std::vector<Row> rows = in_stretches(at, [&](std::int64_t* admitted, const auto& refuse) {
      return replay_units(log, at, admitted, refuse);
    });
    CHECK(rows == one_by_one(log, at));
    for (const Row& row : rows) refused += !row.admitted;
  }
  CHECK(refused > 50'000);
}

TEST_CASE("unit rules: a counter told in stretches decides as its own commit does") {
  std::mt19937_64 random(2);
  std::size_t refused = 0;
  for (int round = 0; round < 8000; ++round) {
    CAPTURE(round);
    const std::int64_t unit = std::vector<std::int64_t>{1, 3, 100}[random() % 3];
    const std::vector<std::int64_t> at =
        random_instants(random, kStarts[random() % kStarts.size()], unit);
    Options options;
    options.round =
        std::vector{Round::kFloor, Round::kExact, Round::kNearest, Round::kCeil}[random() % 4];
    // Windows of fewer ns than units too.
    const std::uint64_t longest = random() % 3 == 0 ? 12 : 2000;
    const SlidingCounter counter({1 + static_cast<std::int64_t>(random() % 30),
                                  Duration{1 + static_cast<std::int64_t>(random() % longest)}},
                                 options);
    REQUIRE(is_plain(counter));
    const EpochGrid grid(counter.limit().window);
    const std::vector<Row> rows = in_stretches(at, [&](std::int64_t* admitted, const auto& refuse) {
      return replay_units(counter, grid, at, admitted, refuse);
    });
    CHECK(rows == one_by_one(counter, at));
    for (const Row& row : rows) refused += !row.admitted;
  }
  CHECK(refused > 100'000);
}

TEST_CASE("unit rules: a counter of the greatest plain limit and window does not overflow") {
  for (const Round round : {Round::kFloor, Round::kExact, Round::kNearest, Round::kCeil}) {
    Options options;
    options.round = round;
    const std::int64_t most = kPlainTime - 1;
    const SlidingCounter counter({most, Duration{most}}, options);
    SlidingCounter::Fades fades(counter, most);
    for (std::int64_t gone = 1; gone <= 1000; ++gone, fades.next_unit()) {
      // A full window, then one request that needs `gone` of its units to have faded.
      SlidingCounter::State state{};
      state.last = most - 1;
      state.count = most;
      CHECK(counter.due(state, Instant{Duration{most}}, gone) ==
            Instant{Duration{most + fades.at()}});
    }
  }
}

TEST_CASE("unit rules: only what sees each instant in an epoch's windows is plain") {
  const Limit limit{5, std::chrono::seconds{1}};
  CHECK(is_plain(SlidingLog(limit)));
  CHECK_FALSE(is_plain(SlidingLog(limit, {.clock = std::chrono::seconds{1}})));
  CHECK_FALSE(is_plain(SlidingLog({5, Duration{kPlainTime}})));
  CHECK_FALSE(is_plain(SlidingLog({kPlainTime, std::chrono::seconds{1}})));
  CHECK(is_plain(SlidingCounter(limit)));
  CHECK_FALSE(is_plain(SlidingCounter(limit, {.anchor = Anchor::kFirst})));
  CHECK_FALSE(are_plain(std::vector<std::int64_t>{0, kPlainTime}));
  CHECK_FALSE(are_plain(std::vector<std::int64_t>{-kPlainTime, 0}));
}

TEST_CASE("seek: the first row at or after an instant, near and far") {
  std::vector<std::int64_t> at;
  for (int i = 0; i < 300; ++i) at.insert(at.end(), 1 + i % 3, i * 2);
  for (std::size_t first = 0; first <= at.size(); first += 7) {
    for (std::int64_t instant = -1; instant <= 601; ++instant) {
      std::size_t expected = first;
      while (expected < at.size() && at[expected] < instant) ++expected;
      CHECK(seek(at, first, instant) == expected);
    }
  }
}

}  // namespace ratereplay
