// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <random>

#include "policies/every_option.hpp"

/// What every policy on the list keeps, with every combination of its options.
namespace ratereplay {
namespace {

struct Admitted {
  std::int64_t at;
  std::int64_t cost;
};

/// The most units in a window of `length` ns that ends at one of the requests.
std::int64_t worst_window(const std::vector<Admitted>& admitted, std::int64_t length) {
  std::int64_t worst = 0;
  std::int64_t sum = 0;
  std::size_t first = 0;
  for (const Admitted& request : admitted) {
    sum += request.cost;
    while (request.at - admitted[first].at >= length) sum -= admitted[first++].cost;
    worst = std::max(worst, sum);
  }
  return worst;
}

/// Every interval between two requests holds at most allowed(its length) units.
template <class F>
bool intervals_keep(const std::vector<Admitted>& admitted, const F& allowed) {
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    std::int64_t sum = 0;
    for (std::size_t j = i; j < admitted.size(); ++j) {
      sum += admitted[j].cost;
      if (sum > allowed(admitted[j].at - admitted[i].at)) return false;
    }
  }
  return true;
}

template <Policy P>
void check_promise(const P& policy, const std::vector<Admitted>& admitted) {
  const std::int64_t count = policy.limit().count;
  const std::int64_t window = policy.limit().window.count();
  const Options& options = policy.options();
  if (options.clock) return;
  if constexpr (std::same_as<P, FixedWindow>) {
    CHECK(worst_window(admitted, window) <= 2 * count);
  } else if constexpr (std::same_as<P, SlidingLog>) {
    const bool closed = options.boundary == Boundary::kClosed;
    CHECK(worst_window(admitted, closed ? window + 1 : window) <= count);
  } else if constexpr (std::same_as<P, SlidingCounter>) {
    const bool strict = options.round == Round::kExact || options.round == Round::kCeil;
    CHECK(worst_window(admitted, window) <= (strict ? 2 * count - 1 : 2 * count));
  } else {
    const bool interval = options.refill == Refill::kInterval;
    CHECK(intervals_keep(admitted, [&](std::int64_t t) {
      return policy.capacity() +
             (interval ? (t + window - 1) / window * count : t * count / window);
    }));
  }
}

/// The answers that follow from one state: nothing here changes `key`.
template <Policy P>
void check_answers(const P& policy, const Tracked<P>& key, Instant now, Cost cost, Duration tick) {
  const auto outcome_at = [&](Instant at, std::int64_t units) {
    return peek(policy, key, at, static_cast<Cost>(units), tick).outcome;
  };
  const Decision d = peek(policy, key, now, cost, tick);
  REQUIRE(d == peek(policy, key, now, cost, tick));
  REQUIRE(peek(policy, key, now, 0, tick).admitted());
  const std::int64_t capacity = policy.capacity();
  REQUIRE(outcome_at(now, capacity + 1) == Outcome::kNever);

  const Decision still = peek(policy, key, now, 0, tick);
  REQUIRE(still.retry_after == Duration{0});
  REQUIRE(still.delay == Duration{0});
  REQUIRE(still.remaining >= 0);
  REQUIRE(still.remaining <= capacity);
  REQUIRE(outcome_at(now, still.remaining) == Outcome::kAdmitted);
  REQUIRE(outcome_at(now, still.remaining + 1) != Outcome::kAdmitted);
  REQUIRE(still.reset_at.has_value() == (still.remaining < capacity));
  if (still.reset_at) {
    REQUIRE(*still.reset_at > now);
    REQUIRE(outcome_at(*still.reset_at, still.remaining + 1) == Outcome::kAdmitted);
    REQUIRE(outcome_at(*still.reset_at - Duration{1}, still.remaining + 1) == Outcome::kRefused);
  }
  REQUIRE(outcome_at(still.full_at, capacity) == Outcome::kAdmitted);
  if (still.full_at > now)
    REQUIRE(outcome_at(still.full_at - Duration{1}, capacity) == Outcome::kRefused);
  REQUIRE((still.full_at > now) == (still.remaining < capacity));
}

/// A refused request, after which the key is `key`: its wait is the least.
template <Policy P>
void check_wait(const P& policy, const Tracked<P>& key, Instant now, Cost cost, Duration wait,
                Duration tick) {
  REQUIRE(wait > Duration{0});
  REQUIRE(wait % tick == Duration{0});
  REQUIRE(peek(policy, key, now + wait, cost, tick).admitted());
  if (wait > tick) REQUIRE_FALSE(peek(policy, key, now + wait - tick, cost, tick).admitted());
}

template <Policy P>
void check_expiry(const P& policy, const Tracked<P>& key, Instant now, std::mt19937_64& draw) {
  const Instant expires = std::max(now, policy.expires_at(key.state));
  if (expires == Instant::max()) return;
  Tracked<P> held = key;
  Tracked<P> fresh;
  Instant at = expires;
  for (int i = 0; i < 6; ++i) {
    const auto cost = static_cast<Cost>(draw() % static_cast<std::uint64_t>(policy.capacity() + 2));
    REQUIRE(admit(policy, held, at, cost) == admit(policy, fresh, at, cost));
    at += Duration{static_cast<std::int64_t>(
        draw() % static_cast<std::uint64_t>(policy.limit().window.count()))};
  }
}

template <Policy P>
void check_stream(const P& policy, std::uint64_t seed) {
  INFO(testing::described(policy) << " seed " << seed);
  std::mt19937_64 draw(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(n));
  };
  const std::int64_t window = policy.limit().window.count();
  const Duration tick{1 + below(3) * below(window)};
  Tracked<P> key;
  std::vector<Admitted> admitted;
  std::int64_t now = -below(4 * window);
  for (int i = 0; i < 120; ++i) {
    switch (below(8)) {
      case 0:
        break;
      case 1:
        now += below(4 * window);
        break;
      case 2:
        now += window;
        break;
      default:
        now += below(2 * window / policy.limit().count + 2);
        break;
    }
    const auto cost = static_cast<Cost>(below(2) == 0 ? 1 : below(policy.capacity() + 2));
    const Instant at{Duration{now}};
    check_answers(policy, key, at, cost, tick);
    const bool was_full = peek(policy, key, at, 0, tick).remaining == policy.capacity();
    Tracked<P> probed = key;
    admit(policy, probed, at, 0, tick);
    const Decision expected = peek(policy, key, at, cost, tick);
    const Decision d = admit(policy, key, at, cost, tick);
    REQUIRE(d == expected);
    REQUIRE(d == admit(policy, probed, at, cost, tick));
    if (d.admitted() && cost != 0) admitted.push_back({now, cost});
    if (d.outcome == Outcome::kRefused) check_wait(policy, key, at, cost, *d.retry_after, tick);
    if (d.outcome == Outcome::kNever) REQUIRE_FALSE(d.retry_after.has_value());
    if (was_full && cost <= policy.capacity()) REQUIRE(d.admitted());
    check_expiry(policy, key, at, draw);
  }
  check_promise(policy, admitted);
}

TEST_CASE_TEMPLATE("every answer of a policy holds when it is put to the test", P, FixedWindow,
                   SlidingLog, SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  std::uint64_t seed = 1;
  for (const Limit limit : {Limit{5, Duration{1000}}, Limit{1, Duration{7}},
                            Limit{3, Duration{100}}, Limit{40, Duration{11}}}) {
    for (const Options& options :
         testing::every_option<P>({1, limit.count + 3}, {Duration{3}, Duration{64}}))
      check_stream(P(limit, options), seed++);
  }
}

TEST_CASE_TEMPLATE("a state that was reset answers as a fresh one", P, FixedWindow, SlidingLog,
                   SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  for (const Options& options : testing::every_option<P>({2}, {Duration{5}})) {
    const P policy(Limit{5, Duration{100}}, options);
    Tracked<P> used;
    for (std::int64_t t = 0; t < 300; t += 7) admit(policy, used, Instant{Duration{t}}, 2);
    used.state.reset();
    used.latest = Instant::min();
    Tracked<P> fresh;
    CHECK(policy.expires_at(used.state) == Instant::min());
    for (std::int64_t t = -50; t < 200; t += 9)
      CHECK(admit(policy, used, Instant{Duration{t}}, 1) ==
            admit(policy, fresh, Instant{Duration{t}}, 1));
  }
}

TEST_CASE("gcra, the continuous token bucket and the leaky bucket decide alike") {
  CHECK(rc::check([] {
    const Limit limit{*rc::gen::inRange<std::int64_t>(1, 50),
                      Duration{*rc::gen::inRange<std::int64_t>(1, 5000)}};
    Options options;
    options.capacity = *rc::gen::inRange<std::int64_t>(1, 60);
    options.charge = *rc::gen::element(Charge::kAdmitted, Charge::kAttempted);
    const Gcra gcra(limit, options);
    const TokenBucket tokens(limit, options);
    const LeakyBucket leaky(limit, options);
    Tracked<Gcra> a;
    Tracked<TokenBucket> b;
    Tracked<LeakyBucket> c;
    std::int64_t now = *rc::gen::inRange<std::int64_t>(-10'000, 10'000);
    const auto trace = *rc::gen::container<std::vector<std::pair<std::int64_t, Cost>>>(
        rc::gen::pair(rc::gen::inRange<std::int64_t>(-5, 400), rc::gen::inRange<Cost>(0, 20)));
    for (const auto& [gap, cost] : trace) {
      now += gap;
      const Instant at{Duration{now}};
      const Decision expected = admit(gcra, a, at, cost);
      RC_ASSERT(admit(tokens, b, at, cost) == expected);
      Decision queued = admit(leaky, c, at, cost);
      queued.delay = Duration{0};
      RC_ASSERT(queued == expected);
    }
  }));
}

TEST_CASE("round=exact and round=ceil of the sliding counter answer alike") {
  std::mt19937_64 draw(7);
  for (int run = 0; run < 50; ++run) {
    const Limit limit{1 + static_cast<std::int64_t>(draw() % 9),
                      Duration{1 + static_cast<std::int64_t>(draw() % 50)}};
    const SlidingCounter exact(limit, {.round = Round::kExact});
    const SlidingCounter ceil(limit, {.round = Round::kCeil});
    Tracked<SlidingCounter> a;
    Tracked<SlidingCounter> b;
    std::int64_t now = 0;
    for (int i = 0; i < 100; ++i) {
      now += static_cast<std::int64_t>(draw() % 30);
      const auto cost = static_cast<Cost>(draw() % 5);
      CHECK(admit(exact, a, Instant{Duration{now}}, cost) ==
            admit(ceil, b, Instant{Duration{now}}, cost));
    }
  }
}

}  // namespace
}  // namespace ratereplay
