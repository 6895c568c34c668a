// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "policies/every_option.hpp"
#include "reference/model.hpp"

namespace ratereplay {
namespace {

struct Grid {
  Limit limit;
  std::int64_t start;
  std::vector<std::int64_t> gaps;
  int length;
  Duration tick;
  Duration clock;
};

template <Policy P>
struct Walk {
  const P& policy;
  const Grid& grid;
  std::vector<std::string> path{};
  long decisions = 0;
  bool failed = false;

  void step(const Tracked<P>& key, const reference::Model& model, std::int64_t now, Cost cost,
            int left) {
    Tracked<P> next = key;
    reference::Model expected = model;
    const Decision got = admit(policy, next, Instant{Duration{now}}, cost, grid.tick);
    const Decision want = expected.admit(Instant{Duration{now}}, cost, grid.tick);
    ++decisions;
    path.push_back(std::to_string(cost) + " at " + std::to_string(now));
    if constexpr (QueueingPolicy<P>) {
      if (policy.queued(next.state, next.latest) != expected.queued()) fail(got, want);
    }
    if (got != want) fail(got, want);
    if (left > 1 && !failed) each(next, expected, now, left - 1);
    path.pop_back();
  }

  void each(const Tracked<P>& key, const reference::Model& model, std::int64_t now, int left) {
    for (const std::int64_t gap : grid.gaps) {
      const auto most = static_cast<Cost>(policy.capacity() + 1);
      for (Cost cost = 0; cost <= most && !failed; ++cost) step(key, model, now + gap, cost, left);
    }
  }

  void fail(const Decision& got, const Decision& want) {
    failed = true;
    std::string trace;
    for (const std::string& request : path) trace += request + "; ";
    FAIL_CHECK(testing::described(policy)
               << "\n  after " << trace << "\n  got  " << got << "\n  want " << want);
  }
};

template <Policy P>
long walk_all(const Grid& grid) {
  long decisions = 0;
  for (const Options& options : testing::every_option<P>({1, 3}, {grid.clock})) {
    const P policy(grid.limit, options);
    Walk<P> walk{policy, grid};
    const reference::Model model(P::kName, grid.limit, options, reference::Search::kEveryInstant);
    walk.each(Tracked<P>{}, model, grid.start, grid.length);
    decisions += walk.decisions;
  }
  return decisions;
}

const std::vector<Grid> kGrids{
    // Negative starts cross zero.
    {{2, Duration{3}}, -7, {-1, 0, 1, 3, 4}, 3, Duration{1}, Duration{2}},
    {{1, Duration{1}}, -1, {0, 1, 2}, 4, Duration{1}, Duration{2}},
    {{3, Duration{4}}, -4, {1, 3, 5}, 3, Duration{3}, Duration{3}},
    {{3, Duration{2}}, 1, {0, 1, 2}, 3, Duration{1}, Duration{3}},
    {{1, Duration{5}}, -3, {0, 1, 4, 5, 6}, 3, Duration{2}, Duration{4}},
};

TEST_CASE_TEMPLATE("every short trace on a small grid gets the answers of the reference", P,
                   FixedWindow, SlidingLog, SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  long decisions = 0;
  for (const Grid& grid : kGrids) decisions += walk_all<P>(grid);
  CHECK(decisions > 10'000);
  MESSAGE(P::kName << ": " << decisions << " decisions compared");
}

}  // namespace
}  // namespace ratereplay
