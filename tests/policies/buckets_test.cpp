// SPDX-License-Identifier: Apache-2.0
#include "policies/table.hpp"
#include "ratereplay/keyed.hpp"

/// Tables of gcra, token-bucket and leaky-bucket. Nanoseconds; 3 units per 10 ns.
namespace ratereplay {
namespace {

using namespace std::chrono_literals;
using testing::check_table;
using testing::kAbsent;
using testing::kNever;

constexpr Duration kNs{1};
const Limit kThree{3, Duration{10}};

TEST_CASE_TEMPLATE("gcra and its kin: a unit every 10/3 ns, nothing rounded on the way", P, Gcra,
                   TokenBucket, LeakyBucket) {
  check_table(P(kThree, {.capacity = 2}), kNs,
              {
                  {0, 0, true, 2, 0, kAbsent, 0},
                  {0, 1, true, 1, 0, 4, 4},  // TAT 3.33
                  {0, 3, false, 1, kNever, 4, 4},
                  {0, 1, true, 0, 0, 4, 7},          // TAT 6.67
                  {3, 1, false, 0, 1, 4, 7},         // one fits from TAT - 3.33 = 3.33 on
                  {4, 1, true, 0, 0, 7, 10},         // TAT 10, exactly: the thirds are kept
                  {6, 1, false, 0, 1, 7, 10},        // 6.67
                  {7, 1, true, 0, 0, 10, 14},        // TAT 13.33
                  {10, 1, true, 0, 0, 14, 17},       // TAT 16.67: 3 units in 10 ns
                  {5, 1, false, 0, 4, 14, 17},       // time back: as at 10
                  {999, 2, true, 0, 0, 1003, 1006},  // idle long: the capacity; TAT 1005.67
                  {999, 1, false, 0, 4, 1003, 1006},
              });
}

TEST_CASE_TEMPLATE("gcra and its kin: the capacity defaults to the limit", P, Gcra, TokenBucket,
                   LeakyBucket) {
  check_table(P(kThree), kNs,
              {
                  {-20, 3, true, 0, 0, -16, -10},
                  {-20, 1, false, 0, 4, -16, -10},
                  {-11, 3, false, 2, 1, -10, -10},
                  {-10, 3, true, 0, 0, -6, 0},
              });
  check_table(P(kThree, {.capacity = 1}), kNs,
              {{0, 1, true, 0, 0, 4, 4},
               {0, 2, false, 0, kNever, 4, 4},
               {3, 1, false, 0, 1, 4, 4},
               {4, 1, true, 0, 0, 8, 8}});  // 4 + 3.33: the idle fraction is not saved
}

TEST_CASE_TEMPLATE("gcra and its kin: charge=attempted moves the arrival time on", P, Gcra,
                   TokenBucket, LeakyBucket) {
  check_table(P(kThree, {.charge = Charge::kAttempted}), kNs,
              {
                  {0, 3, true, 0, 0, 4, 10},
                  {0, 1, false, 0, 7, 7, 14},        // TAT 13.33; one fits 6.67 later
                  {0, 4, false, 0, kNever, 20, 27},  // TAT 26.67
              });
}

TEST_CASE_TEMPLATE("gcra and its kin: clock= answers in true time", P, Gcra, TokenBucket,
                   LeakyBucket) {
  check_table(P(kThree, {.clock = Duration{4}}), kNs,
              {
                  {3, 3, true, 0, 0, 4, 12},   // seen 0: TAT 10; first unit 3.33, shown at 4
                  {3, 2, false, 0, 5, 4, 12},  // 6.67, shown at 8
                  {7, 1, true, 0, 0, 8, 16},   // seen 4: TAT 13.33
              });
}

TEST_CASE("token-bucket: refill=interval drops the limit in at whole windows after the first") {
  check_table(TokenBucket(kThree, {.capacity = 5, .refill = Refill::kInterval}), kNs,
              {
                  {2, 0, true, 5, 0, kAbsent, 2},
                  {2, 6, false, 5, kNever, kAbsent, 2},  // not charged: no grid
                  {4, 5, true, 0, 0, 14, 24},            // steps at 14, 24, ...; 3 a step
                  {13, 1, false, 0, 1, 14, 24},
                  {13, 4, false, 0, 11, 14, 24},
                  {14, 2, true, 1, 0, 24, 34},  // 3 - 2; 4 at 24, 5 at 34
                  {24, 0, true, 4, 0, 34, 34},
                  {33, 5, false, 4, 1, 34, 34},
                  {99, 5, true, 0, 0, 104, 114},  // the grid never restarts: 104
              });
}

TEST_CASE("token-bucket: refill=interval goes below 0 when attempts are charged") {
  check_table(TokenBucket(kThree, {.refill = Refill::kInterval, .charge = Charge::kAttempted}), kNs,
              {
                  {0, 4, false, 0, kNever, 10, 20},  // -1; 2 at 10, 3 at 20
                  {0, 3, false, 0, 30, 20, 30},      // -4; -1, 2, 3
                  {20, 2, true, 0, 0, 30, 30},
              });
}

TEST_CASE("leaky-bucket: delays and the queue") {
  const LeakyBucket leaky(kThree);
  Tracked<LeakyBucket> key;
  const auto ask = [&](std::int64_t at, Cost cost) {
    return admit(leaky, key, Instant{Duration{at}}, cost, kNs).delay.count();
  };
  const auto queued = [&] { return leaky.queued(key.state, key.latest); };
  CHECK(queued() == 0);
  CHECK(ask(0, 1) == 0);  // at rest one leaves at once
  CHECK(queued() == 0);
  CHECK(ask(0, 2) == 4);  // TAT was 3.33
  CHECK(queued() == 2);   // TAT 10: three units, one of them gone
  CHECK(ask(0, 0) == 0);  // a probe waits for nothing
  CHECK(ask(0, 1) == 0);  // a refusal has no delay
  CHECK(ask(7, 2) == 3);  // TAT was 10
  CHECK(queued() == 2);   // TAT 16.67: ceil(9.67 * 3/10) - 1
  CHECK(ask(99, 1) == 0);

  const LeakyBucket meter(kThree, {.mode = Mode::kMeter});
  Tracked<LeakyBucket> level;
  CHECK(admit(meter, level, Instant{}, 2).delay == 0ns);
  CHECK(admit(meter, level, Instant{}, 1).delay == 0ns);
  CHECK(meter.queued(level.state, Instant{}) == 0);
}

TEST_CASE("leaky-bucket: refused units occupy the queue when attempts are charged") {
  const LeakyBucket leaky(kThree, {.charge = Charge::kAttempted});
  LeakyBucket::State state;
  CHECK(leaky.commit(state, Instant{}, 3) == Outcome::kAdmitted);
  CHECK(leaky.commit(state, Instant{}, 3) == Outcome::kRefused);
  CHECK(leaky.queued(state, Instant{}) == 5);
}

TEST_CASE_TEMPLATE("two keys never influence each other", P, FixedWindow, SlidingLog,
                   SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  Keyed<P> limiter(kThree);
  CHECK(limiter.admit("a", Instant{}, 3).admitted());
  CHECK_FALSE(limiter.admit("a", Instant{}, 1).admitted());
  CHECK(limiter.admit("b", Instant{}, 3).admitted());
  CHECK(limiter.admit(std::string("a\0b", 3), Instant{}, 3).admitted());
  CHECK(limiter.size() == 3);
}

TEST_CASE_TEMPLATE("a limiter peeks without a trace and purges what has expired", P, FixedWindow,
                   SlidingLog, SlidingCounter, Gcra, LeakyBucket) {
  Keyed<P> limiter(kThree, {}, kNs);
  CHECK(limiter.peek("a", Instant{}, 3).remaining == 0);
  CHECK(limiter.size() == 0);
  CHECK(limiter.admit("a", Instant{Duration{1}}, 3).admitted());
  CHECK(limiter.peek("a", Instant{Duration{1}}).retry_after > Duration{0});
  const Instant full = limiter.peek("a", Instant{Duration{1}}, 0).full_at;
  CHECK(limiter.purge(full - kNs) == 0);
  CHECK(limiter.purge(full) == 1);
  CHECK(limiter.size() == 0);
  limiter.admit("b", full, 0);
  CHECK(limiter.purge(full - kNs) == 0);  // it has seen a later instant
  CHECK(limiter.forget("b"));
  CHECK_FALSE(limiter.forget("b"));
  CHECK_THROWS_AS(Keyed<P>(kThree, {}, Duration{0}), std::invalid_argument);
}

TEST_CASE("a started token bucket with refill=interval is never purged: its grid stays") {
  Keyed<TokenBucket> limiter(kThree, {.refill = Refill::kInterval});
  limiter.admit("a", Instant{});
  CHECK(limiter.purge(Instant{24h}) == 0);
}

}  // namespace
}  // namespace ratereplay
