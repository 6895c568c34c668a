// SPDX-License-Identifier: Apache-2.0
#include "policies/table.hpp"

/// Decisions published with the implementation that the definitions started from, and the small
/// worked numbers of the definitions themselves. Milliseconds.
namespace ratereplay {
namespace {

using namespace std::chrono_literals;
using testing::check_steps;
using testing::kNever;

const Limit kFive{5, 1s};

TEST_CASE("sliding-log: fills, then refuses until the oldest leaves") {
  check_steps(SlidingLog(kFive), {{0, 1, true},
                                  {10, 1, true},
                                  {20, 1, true},
                                  {30, 1, true},
                                  {40, 1, true},
                                  {50, 1, false, 950},  // 0 + 1000 - 50
                                  {1000, 1, true},
                                  {1005, 1, false, 5},  // 10 + 1000 - 1005
                                  {1010, 1, true}});
}

TEST_CASE("sliding-log: the edge of a window lets nothing through twice") {
  check_steps(
      SlidingLog(kFive),
      {{999, 5, true}, {999, 1, false}, {1000, 5, false}, {1000, 1, false, 999}, {1999, 5, true}});
}

TEST_CASE("sliding-log: a cost takes that many places") {
  check_steps(SlidingLog(kFive), {{0, 3, true},
                                  {100, 3, false},
                                  {100, 2, true},
                                  {100, 1, false},
                                  {1000, 3, true},
                                  {1000, 1, false}});
}

TEST_CASE("sliding-log: the ring wraps") {
  check_steps(
      SlidingLog(kFive),
      {{0, 5, true}, {1000, 3, true}, {1500, 2, true}, {1500, 1, false, 500}, {2000, 3, true}});
}

TEST_CASE("sliding-counter: five early, then the edge") {
  check_steps(SlidingCounter(kFive), {{0, 1, true},
                                      {10, 1, true},
                                      {20, 1, true},
                                      {30, 1, true},
                                      {40, 1, true},
                                      {50, 1, false, 951},
                                      {1000, 1, false},
                                      {1001, 1, true}});
}

TEST_CASE("sliding-counter: the weight falls, silence clears") {
  check_steps(SlidingCounter(kFive),
              {{900, 5, true}, {1000, 1, false}, {1500, 1, true}, {4000, 5, true}});
}

TEST_CASE("sliding-counter: not twice the limit at the edge") {
  check_steps(
      SlidingCounter(kFive),
      {{999, 5, true}, {1000, 5, false}, {1000, 1, false}, {1500, 3, true}, {1500, 1, false}});
}

TEST_CASE("sliding-counter: the past fades one by one") {
  check_steps(SlidingCounter(kFive),
              {{0, 5, true}, {1001, 1, true}, {1001, 1, false, 200}, {1201, 1, true}});
}

TEST_CASE("gcra and its kin: the capacity at once, then the pace") {
  const auto steps = {
      testing::Step{0, 1, true}, {0, 1, true},  {0, 1, true}, {0, 1, true}, {0, 1, true},
      {0, 1, false, 10},         {9, 1, false}, {10, 1, true}};
  check_steps(Gcra({100, 1s}, {.capacity = 5}), steps);
  check_steps(TokenBucket({100, 1s}, {.capacity = 5}), steps);
  check_steps(LeakyBucket({100, 1s}, {.capacity = 5}), steps);
}

TEST_CASE("token-bucket: a cost above capacity is never admitted and takes nothing") {
  check_steps(TokenBucket({100, 1s}, {.capacity = 5}), {{0, 6, false, kNever}, {0, 5, true}});
}

TEST_CASE("gcra: a month of silence refills the capacity, not one unit more") {
  check_steps(Gcra({100, 1s}, {.capacity = 5}),
              {{0, 5, true}, {2'592'000'000, 5, true}, {2'592'000'000, 1, false, 10}});
}

TEST_CASE("gcra: an interval that does not divide") {
  check_steps(Gcra({3, 1s}, {.capacity = 2}), {{0, 2, true},
                                               {0, 1, false, 334},  // 333.3...
                                               {333, 1, false},
                                               {334, 1, true},
                                               {334, 1, false, 333}});  // 666.6... - 334
}

TEST_CASE("fixed-window: the edge lets twice the limit through") {
  check_steps(FixedWindow(kFive), {{999, 5, true}, {1000, 5, true}});
}

TEST_CASE("fixed-window: the wait runs to the edge") {
  check_steps(FixedWindow(kFive), {{0, 1, true},
                                   {10, 1, true},
                                   {20, 1, true},
                                   {30, 1, true},
                                   {40, 1, true},
                                   {50, 1, false, 950},
                                   {1000, 1, true}});
}

TEST_CASE("a wait counts the refused attempt itself when attempts are charged") {
  const Options attempted{.charge = Charge::kAttempted};
  // TAT: 1000, then 1100 ms; one unit fits once it is at most 900 ahead.
  check_steps(Gcra({10, 1s}, attempted), {{0, 10, true}, {0, 1, false, 200}});
  // c = 6 after the attempt; in the next window floor(6(1000 - e)/1000) <= 4 from e = 167 on.
  check_steps(SlidingCounter(kFive, attempted), {{0, 5, true}, {0, 1, false, 1167}});
}

TEST_CASE(
    "a coarse clock: the wait runs to its next step, and the log's promise is for seen time") {
  // 999 is seen as 900; the window ends at 1000, which the clock shows at 1200.
  check_steps(FixedWindow(kFive, {.clock = 300ms}), {{0, 5, true}, {999, 1, false, 201}});
  // 0.999999999 s is seen as 0, and 1 s as 1 s.
  const SlidingLog log(kFive, {.clock = 1s});
  Tracked<SlidingLog> key;
  CHECK(admit(log, key, Instant{1s - 1ns}, 5).admitted());
  CHECK(admit(log, key, Instant{1s}, 5).admitted());
}

TEST_CASE("leaky-bucket: the second unit's delay is the fraction rounded up") {
  const LeakyBucket leaky({3, 1s}, {.capacity = 2});
  Tracked<LeakyBucket> key;
  CHECK(admit(leaky, key, Instant{}, 1).delay == 0ns);
  CHECK(admit(leaky, key, Instant{}, 1).delay == 333'333'334ns);
}

TEST_CASE("sliding-counter: five at 0 show which way the past is rounded") {
  // First admission of one more, against the page of each rounding.
  const auto wait = [](Round round) {
    const SlidingCounter counter(kFive, {.round = round});
    Tracked<SlidingCounter> key;
    admit(counter, key, Instant{}, 5);
    return *admit(counter, key, Instant{}, 1).retry_after;
  };
  CHECK(wait(Round::kFloor) == 1001ms);
  CHECK(wait(Round::kNearest) == 1101ms);
  CHECK(wait(Round::kExact) == 1200ms);
  CHECK(wait(Round::kCeil) == 1200ms);
}

}  // namespace
}  // namespace ratereplay
