// SPDX-License-Identifier: Apache-2.0
#include "policies/table.hpp"

/// Tables of fixed-window, sliding-log and sliding-counter. Nanoseconds; windows of 10 ns.
namespace ratereplay {
namespace {

using testing::check_table;
using testing::kAbsent;
using testing::kNever;

constexpr Duration kNs{1};
const Limit kThree{3, Duration{10}};

TEST_CASE("fixed-window: a grid from zero") {
  check_table(FixedWindow(kThree), kNs,
              {
                  {4, 0, true, 3, 0, kAbsent, 4},        // a probe opens nothing
                  {4, 1, true, 2, 0, 10, 10},            // first request: window [0, 10)
                  {4, 4, false, 2, kNever, 10, 10},      // capacity + 1
                  {5, 3, false, 2, 5, 10, 10},           // 1 + 3 > 3: to 10
                  {9, 2, true, 0, 0, 10, 10},            // 1 ns before the edge
                  {9, 1, false, 0, 1, 10, 10},           // to 10
                  {9, 0, true, 0, 0, 10, 10},            // a probe is admitted over the limit
                  {10, 3, true, 0, 0, 20, 20},           // the edge: capacity at once
                  {11, 1, false, 0, 9, 20, 20},          // 1 ns after
                  {7, 1, false, 0, 9, 20, 20},           // time back: as at 11
                  {1000, 0, true, 3, 0, kAbsent, 1000},  // idle long
                  {1005, 2, true, 1, 0, 1010, 1010},     // window [1000, 1010)
              });
}

TEST_CASE("fixed-window: windows of negative time run the same way") {
  check_table(FixedWindow(kThree), kNs,
              {
                  {-11, 3, true, 0, 0, -10, -10},  // floor(-11/10) = -2: [-20, -10)
                  {-10, 1, true, 2, 0, 0, 0},      // floor(-10/10) = -1: [-10, 0)
                  {-1, 3, false, 2, 1, 0, 0},
                  {0, 3, true, 0, 0, 10, 10},
              });
}

TEST_CASE("fixed-window: anchor=first opens a window with the first charged request") {
  check_table(FixedWindow(kThree, {.anchor = Anchor::kFirst}), kNs,
              {
                  {4, 0, true, 3, 0, kAbsent, 4},        // a probe opens no window
                  {4, 4, false, 3, kNever, kAbsent, 4},  // nor does a refusal
                  {7, 3, true, 0, 0, 17, 17},            // [7, 17)
                  {16, 1, false, 0, 1, 17, 17},
                  {17, 0, true, 3, 0, kAbsent, 17},
                  {18, 1, true, 2, 0, 28, 28},  // [18, 28)
              });
}

TEST_CASE("fixed-window: boundary=closed holds one more nanosecond") {
  check_table(FixedWindow(kThree, {.anchor = Anchor::kFirst, .boundary = Boundary::kClosed}), kNs,
              {
                  {7, 3, true, 0, 0, 18, 18},    // [7, 17]
                  {17, 1, false, 0, 1, 18, 18},  // 17 is inside
                  {18, 1, true, 2, 0, 29, 29},   // [18, 28]
              });
}

TEST_CASE("fixed-window: charge=attempted counts refusals, above capacity too") {
  check_table(FixedWindow(kThree, {.anchor = Anchor::kFirst, .charge = Charge::kAttempted}), kNs,
              {
                  {2, 9, false, 0, kNever, 12, 12},  // opens [2, 12) with count 9
                  {5, 1, false, 0, 7, 12, 12},
                  {12, 2, true, 1, 0, 22, 22},
                  {12, 2, false, 0, 10, 22, 22},  // count 4
              });
}

TEST_CASE("sliding-log: an entry exactly one window old has left") {
  check_table(SlidingLog(kThree), kNs,
              {
                  {0, 0, true, 3, 0, kAbsent, 0},
                  {0, 1, true, 2, 0, 10, 10},
                  {4, 4, false, 2, kNever, 10, 10},
                  {4, 2, true, 0, 0, 10, 14},    // full again when the entries of 4 leave
                  {9, 1, false, 0, 1, 10, 14},   // the entry at 0 leaves at 10
                  {9, 2, false, 0, 5, 10, 14},   // so must one of 4
                  {10, 1, true, 0, 0, 14, 20},   // the edge
                  {13, 3, false, 0, 7, 14, 20},  // all three: the newest is of 10
                  {14, 2, true, 0, 0, 20, 24},
                  {12, 1, false, 0, 6, 20, 24},   // time back: as at 14
                  {99, 3, true, 0, 0, 109, 109},  // idle long
              });
}

TEST_CASE("sliding-log: boundary=closed keeps it for one more nanosecond") {
  check_table(SlidingLog(kThree, {.boundary = Boundary::kClosed}), kNs,
              {
                  {-5, 3, true, 0, 0, 6, 6},  // live in [-5, 5]
                  {5, 1, false, 0, 1, 6, 6},
                  {6, 3, true, 0, 0, 17, 17},
              });
}

TEST_CASE("sliding-log: charge=attempted fills the log with refusals") {
  check_table(SlidingLog(kThree, {.charge = Charge::kAttempted}), kNs,
              {
                  {0, 3, true, 0, 0, 10, 10},
                  {4, 2, false, 0, 10, 10, 14},  // live 5: 2 need k = 4, one of 4; 1 needs k = 3
                  {5, 5, false, 0, kNever, 15, 15},  // live 10; remaining 1 needs 8 to leave
                  {14, 1, false, 0, 1, 15, 24},      // live 6 = 5 + 1; 4 must leave: those of 5
                  {15, 2, true, 0, 0, 24, 25},       // live 1 + 2
              });
  const SlidingLog log(kThree, {.charge = Charge::kAttempted});
  SlidingLog::State state;
  log.commit(state, Instant{}, 5);
  CHECK(log.live_bytes(state) == 40);  // over bytes_per_key
  CHECK(log.bytes_per_key() == 24);
}

TEST_CASE("sliding-log: clock= sees multiples, and answers in true time") {
  check_table(SlidingLog(kThree, {.clock = Duration{4}}), kNs,
              {
                  {3, 2, true, 1, 0, 12, 12},    // seen 0: leaves at 10, shown at 12
                  {11, 2, false, 1, 1, 12, 12},  // seen 8
                  {-1, 2, false, 1, 1, 12, 12},  // time back
                  {12, 3, true, 0, 0, 24, 24},   // seen 12: leaves at 22, shown at 24
              });
  check_table(SlidingLog(kThree, {.clock = Duration{4}}), kNs,
              {{-1, 3, true, 0, 0, 8, 8}});  // seen -4: leaves at 6, shown at 8
}

TEST_CASE("sliding-counter: floor") {
  check_table(SlidingCounter(kThree), kNs,
              {
                  {2, 0, true, 3, 0, kAbsent, 2},
                  {2, 1, true, 2, 0, 11, 11},  // next window: floor(1(10 - e)/10) = 0 from e = 1
                  {2, 4, false, 2, kNever, 11, 11},
                  {9, 2, true, 0, 0, 11, 17},    // c = 3; e = 1: floor(2.7) = 2; e = 7: floor(0.9)
                  {10, 1, false, 0, 1, 11, 17},  // floor(3 * 10/10) = 3
                  {11, 1, true, 0, 0, 14, 21},   // 2 + 0 + 1 = 3; e = 4: floor(1.8) + 1 + 1 = 3
                  {13, 1, false, 0, 1, 14, 21},  // floor(2.1) = 2
                  {14, 1, true, 0, 0, 17, 26},   // p 3, c 2; full: c = 2 fades at e = 6
                  {40, 3, true, 0, 0, 51, 57},   // two windows on: cleared
              });
}

TEST_CASE("sliding-counter: exact, nearest and ceil differ from floor where they should") {
  // p = 3 in [0, 10); one unit needs a past of at most 2.
  check_table(SlidingCounter(kThree, {.round = Round::kExact}), kNs,
              {
                  {0, 3, true, 0, 0, 14, 20},    // 3(10 - e) <= 20: e >= 3.33; 0 only at e = 10
                  {13, 1, false, 0, 1, 14, 20},  // 21 > 20
                  {14, 1, true, 0, 0, 17, 30},   // p 18/10, c 1; e = 7: 9 + 10 + 10 <= 30
              });
  check_table(
      SlidingCounter(kThree, {.round = Round::kCeil}), kNs,
      {{0, 3, true, 0, 0, 14, 20}, {13, 1, false, 0, 1, 14, 20}, {14, 1, true, 0, 0, 17, 30}});
  check_table(SlidingCounter(kThree, {.round = Round::kNearest}), kNs,
              {
                  {0, 3, true, 0, 0, 12, 19},    // round(3(10 - e)/10) <= 2: 2.4 at e = 2
                  {11, 1, false, 0, 1, 12, 19},  // 2.7 rounds to 3
                  {12, 1, true, 0, 0, 16, 26},   // e = 6: 1.2 rounds to 1; c = 1 rounds to 0 at
              });                                // 0.4: e = 6 of the next
  // A half goes up: p = 1, e = 5 is 0.5.
  check_table(
      SlidingCounter({1, Duration{10}}, {.round = Round::kNearest}), kNs,
      {{0, 1, true, 0, 0, 16, 16}, {15, 1, false, 0, 1, 16, 16}, {16, 1, true, 0, 0, 26, 26}});
}

TEST_CASE("sliding-counter: exact, where the sum just fits and at the last instant of a window") {
  check_table(SlidingCounter(kThree, {.round = Round::kExact}), kNs,
              {
                  {0, 2, true, 1, 0, 15, 20},   // 2(10 - e) <= 10 from e = 5
                  {15, 2, true, 0, 0, 20, 30},  // 2 * 5 + 2 * 10 = 30, no more than 30
              });
  check_table(
      SlidingCounter(kThree, {.round = Round::kExact}), kNs,
      {
          {0, 3, true, 0, 0, 14, 20}, {19, 1, true, 1, 0, 20, 30},  // p = 3 still counts 0.3
      });
}

TEST_CASE("sliding-counter: anchor=first keeps its grid until both counts are 0") {
  check_table(SlidingCounter(kThree, {.anchor = Anchor::kFirst}), kNs,
              {
                  {7, 0, true, 3, 0, kAbsent, 7},
                  {7, 3, true, 0, 0, 18, 24},  // grid 7, 17, 27; e = 1 and e = 7 of [17, 27)
                  {17, 1, false, 0, 1, 18, 24},
                  {24, 1, true, 2, 0, 28, 28},  // p = 3 at e = 7 is 0; next: c = 1 until e = 1
                  {40, 3, true, 0, 0, 51, 57},  // both counts 0 from 37 on: the grid is 40, 50
              });
}

TEST_CASE("sliding-counter: charge=attempted") {
  check_table(SlidingCounter(kThree, {.charge = Charge::kAttempted}), kNs,
              {
                  {0, 3, true, 0, 0, 11, 17},
                  {0, 1, false, 0, 13, 13, 18},      // c = 4: floor(4(10 - e)/10) <= 2 from e = 3
                  {0, 6, false, 0, kNever, 18, 20},  // c = 10: <= 2 from e = 8, 0 from e = 10
              });
}

TEST_CASE("sliding-log: a copy of a state goes its own way, whatever it holds") {
  const SlidingLog policy(Limit{100, Duration{10}});
  const auto at = [](std::int64_t ns) { return Instant{Duration{ns}}; };
  for (int entries = 0; entries <= 8; ++entries) {
    CAPTURE(entries);
    SlidingLog::State state;
    // The first entry has left the ring, so that it does not start at its beginning.
    policy.commit(state, at(-20), 1);
    for (int i = 0; i < entries; ++i) policy.commit(state, at(i), 2);
    const auto holds = [&](const SlidingLog::State& held, int expected) {
      CHECK(policy.standing(held, at(9)).remaining == 100 - 2 * expected);
      for (std::size_t i = 0; entries > 0 && i < held.size(); ++i) {
        CHECK(held[i].at == static_cast<std::int64_t>(i));
        CHECK(held[i].units == 2);
      }
    };
    SlidingLog::State copy = state;
    holds(copy, entries);
    policy.commit(copy, at(entries), 2);
    holds(copy, entries + 1);
    holds(state, entries);
    state = copy;
    holds(state, entries + 1);
    policy.commit(copy, at(entries + 1), 50);
    holds(state, entries + 1);
    const SlidingLog::State& self = state;
    state = self;
    holds(state, entries + 1);
    SlidingLog::State moved = std::move(copy);
    CHECK(policy.standing(moved, at(9)).remaining == 48 - 2 * entries);
    moved = std::move(state);
    holds(moved, entries + 1);
    moved.reset();
    CHECK(moved.size() == 0);
    CHECK(policy.standing(moved, at(9)).remaining == 100);
    policy.commit(moved, at(0), 2);
    holds(moved, 1);
  }
}

}  // namespace
}  // namespace ratereplay
