// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <stdexcept>

#include "policies/every_option.hpp"

/// The ends of the 64-bit ranges: nothing wraps (the sanitizers watch), and what can be represented
/// is right.
namespace ratereplay {
namespace {

constexpr Cost kMostCost = std::numeric_limits<Cost>::max();

Instant at(std::int64_t ns) { return Instant{Duration{ns}}; }

template <Policy P>
void storm(const P& policy, std::uint64_t seed) {
  INFO(testing::described(policy) << " seed " << seed);
  std::mt19937_64 draw(seed);
  const std::int64_t edges[] = {kInt64Min, kInt64Min + 1, kInt64Min / 2, -1,       0,
                                1,         kInt64Max / 2, kInt64Max - 1, kInt64Max};
  std::vector<std::int64_t> times(std::begin(edges), std::end(edges));
  for (int i = 0; i < 20; ++i) times.push_back(static_cast<std::int64_t>(draw()));
  std::sort(times.begin(), times.end());
  const Cost costs[] = {0, 1, 2, 1000, kMostCost - 1, kMostCost};
  Tracked<P> key;
  for (const std::int64_t t : times) {
    for (int i = 0; i < 3; ++i) {
      const Cost cost = costs[draw() % std::size(costs)];
      const Duration tick{draw() % 2 == 0 ? 1 : static_cast<std::int64_t>(draw() >> 1) | 1};
      const Decision d = admit(policy, key, at(t), cost, tick);
      REQUIRE(d.remaining >= 0);
      REQUIRE(d.remaining <= policy.capacity());
      REQUIRE(d.full_at >= at(t));
      REQUIRE((!d.reset_at || *d.reset_at > at(t) || *d.reset_at == Instant::max()));
      REQUIRE(d.delay >= Duration{0});
      REQUIRE(policy.live_bytes(key.state) >= 0);
      const Standing standing = policy.standing(key.state, at(t));
      REQUIRE(standing.full_at == policy.due(key.state, at(t), policy.capacity()));
      if (standing.remaining < policy.capacity())
        REQUIRE(standing.reset_at == policy.due(key.state, at(t), standing.remaining + 1));
      REQUIRE(policy.expires_at(key.state) >= Instant::min());
      if (d.outcome != Outcome::kRefused) continue;
      REQUIRE(*d.retry_after > Duration{0});
      const Instant due = policy.due(key.state, at(t), cost);
      if (due == Instant::max()) continue;
      REQUIRE(peek(policy, key, due, cost).admitted());
      REQUIRE_FALSE(peek(policy, key, due - Duration{1}, cost).admitted());
    }
  }
}

TEST_CASE_TEMPLATE("the greatest limits, windows and times do not overflow", P, FixedWindow,
                   SlidingLog, SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  std::uint64_t seed = 1;
  const std::int64_t big[] = {1, 2, 1'000'000'000'000'000'000, kInt64Max - 1, kInt64Max};
  for (const std::int64_t count : big) {
    for (const std::int64_t window : big) {
      for (const Options& options :
           testing::every_option<P>({1, kInt64Max}, {Duration{1'000'000'007}, Duration{kInt64Max}}))
        storm(P(Limit{count, Duration{window}}, options), seed++);
    }
  }
}

/// Requests that are admitted, and probes, of a policy that counts in 64 bits where it can and of
/// one that never does, since it charges what it refuses.
template <Policy P>
void compare_widths(const P& narrow, std::uint64_t seed) {
  INFO(testing::described(narrow) << " seed " << seed);
  Options options = narrow.options();
  options.charge = Charge::kAttempted;
  const P wide(narrow.limit(), options);
  std::mt19937_64 draw(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(draw() % n); };
  const auto window = static_cast<std::uint64_t>(narrow.limit().window.count());
  const std::int64_t starts[] = {kInt64Min, -below(window) - 1, 1'767'225'600'000'000'000,
                                 kInt64Max - static_cast<std::int64_t>(2 * window)};
  for (const std::int64_t start : starts) {
    Tracked<P> a;
    Tracked<P> b;
    std::int64_t now = start;
    for (int i = 0; i < 40; ++i) {
      now = saturating_add(now, draw() % 2 == 0 ? below(window / 8 + 2) : below(window + 1));
      const std::int64_t room = narrow.standing(a.state, at(now)).remaining;
      const std::int64_t most = std::min<std::int64_t>(room, kMostCost);
      const std::int64_t cost =
          draw() % 3 == 0 ? most : below(static_cast<std::uint64_t>(most) + 1);
      const Decision expected = admit(wide, b, at(now), static_cast<Cost>(cost), Duration{1});
      REQUIRE(admit(narrow, a, at(now), static_cast<Cost>(cost), Duration{1}) == expected);
      const auto other = static_cast<std::int64_t>(draw() >> 1) % narrow.capacity() + 1;
      REQUIRE(narrow.due(a.state, at(now), other) == wide.due(b.state, at(now), other));
    }
  }
}

TEST_CASE_TEMPLATE("64 bits, where they are enough, answer as 128 do", P, SlidingLog,
                   SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  std::uint64_t seed = 1;
  for (const std::int64_t window : {1LL, 7LL, 1'000'000'000LL, 86'400'000'000'000LL}) {
    // Up to where the products no longer fit, and the next.
    const std::int64_t last = (kInt64Max / window - 1) / 2;
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{100}, last, last + 1}) {
      const std::int64_t full = kInt64Max / window;
      for (const Options& options :
           testing::every_option<P>({full, full == kInt64Max ? full : full + 1}, {Duration{64}})) {
        if (options.charge == Charge::kAttempted) continue;
        compare_widths(P(Limit{count, Duration{window}}, options), seed++);
      }
    }
  }
}

TEST_CASE("gcra: unbounded attempts keep every later answer a refusal with the greatest wait") {
  const Gcra gcra({1, Duration{kInt64Max}}, {.charge = Charge::kAttempted});
  Tracked<Gcra> key;
  CHECK(admit(gcra, key, at(0), 1).admitted());
  // 2^63 * 2^32 = 2^95 a request: 2^32 of them would fill 2^127; the state is put there.
  key.state.tat = kWideMax - 5;
  for (int i = 0; i < 3; ++i) {
    const Decision d = admit(gcra, key, at(kInt64Max), 1);
    CHECK(d.outcome == Outcome::kRefused);
    CHECK(d.retry_after == Duration::max());
    CHECK(d.full_at == Instant::max());
  }
  CHECK(key.state.tat == kWideMax);
}

TEST_CASE("counts saturate where they would wrap") {
  const FixedWindow fixed({5, Duration{10}}, {.charge = Charge::kAttempted});
  FixedWindow::State state{9, kInt64Max - 1};
  CHECK(fixed.commit(state, at(3), 3) == Outcome::kRefused);
  CHECK(state.count == kInt64Max);
  CHECK(fixed.standing(state, at(3)).remaining == 0);

  const SlidingCounter counter({5, Duration{10}}, {.charge = Charge::kAttempted});
  SlidingCounter::State counts{9, 0, kInt64Max - 1, kInt64Max};
  CHECK(counter.commit(counts, at(3), 3) == Outcome::kRefused);
  CHECK(counts.count == kInt64Max);

  const TokenBucket bucket({5, Duration{10}},
                           {.refill = Refill::kInterval, .charge = Charge::kAttempted});
  TokenBucket::State tokens;
  tokens.interval = {kInt64Min + 1, 9, true};
  CHECK(bucket.commit(tokens, at(3), 3) == Outcome::kRefused);
  CHECK(tokens.interval.tokens == kInt64Min);
}

TEST_CASE("sliding-log: attempts beyond 64 bits are still counted one by one") {
  const SlidingLog log({5, Duration{10}}, {.charge = Charge::kAttempted});
  Tracked<SlidingLog> key;
  key.state.push(0, kInt64Max);
  key.state.push(0, kInt64Max);
  key.state.push(0, kInt64Max);
  key.state.push(4, 5);
  CHECK(key.state.size() == 4);
  CHECK(log.live_bytes(key.state) == kInt64Max);
  CHECK(log.due(key.state, at(5), 1) == at(14));
  CHECK(log.due(key.state, at(5), 5) == at(14));
  CHECK(log.standing(key.state, at(9)).remaining == 0);
  CHECK(log.standing(key.state, at(14)).remaining == 5);
}

TEST_CASE("sliding-log: a limit of 1e18 takes no memory, and its reported bytes saturate") {
  const SlidingLog log({1'000'000'000'000'000'000, Duration{1000}});
  Tracked<SlidingLog> key;
  for (int i = 0; i < 10; ++i) CHECK(admit(log, key, at(i), kMostCost).admitted());
  CHECK(key.state.size() == 10);
  CHECK(log.bytes_per_key() == 8'000'000'000'000'000'000);
  CHECK(SlidingLog({kInt64Max, Duration{1}}).bytes_per_key() == kInt64Max);
}

template <Policy P>
std::string refusal(Limit limit, const Options& options = {}) {
  try {
    const P policy(limit, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "made";
}

TEST_CASE_TEMPLATE("a policy with impossible parameters cannot be made, and says why", P,
                   FixedWindow, SlidingLog, SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  CHECK(refusal<P>({0, Duration{1}}) == "limit must be from 1 to 9223372036854775807, not 0");
  CHECK(refusal<P>({-4, Duration{1}}) == "limit must be from 1 to 9223372036854775807, not -4");
  CHECK(refusal<P>({1, Duration{0}}) == "window must be from 1 to 9223372036854775807 ns, not 0");
  CHECK(refusal<P>({1, Duration{1}}, {.clock = Duration{0}}) ==
        "clock must be from 1 to 9223372036854775807 ns, not 0");
  const auto takes = [](Option option) {
    return std::find(P::kOptions.begin(), P::kOptions.end(), option) != P::kOptions.end();
  };
  const auto expect = [&](Option option, const Options& options) {
    const std::string said = refusal<P>({1, Duration{1}}, options);
    if (takes(option))
      CHECK(said == "made");
    else
      CHECK(said == std::string(P::kName) + " does not take the option " +
                        std::string(option_name(option)));
  };
  expect(Option::kCapacity, {.capacity = 1});
  expect(Option::kRound, {.round = Round::kFloor});
  expect(Option::kAnchor, {.anchor = Anchor::kEpoch});
  expect(Option::kBoundary, {.boundary = Boundary::kHalfOpen});
  expect(Option::kRefill, {.refill = Refill::kContinuous});
  expect(Option::kMode, {.mode = Mode::kQueue});
  expect(Option::kCharge, {.charge = Charge::kAdmitted});
  expect(Option::kClock, {.clock = Duration{1}});
}

TEST_CASE("the other refusals name their parameter too") {
  CHECK(refusal<Gcra>({1, Duration{1}}, {.capacity = 0}) ==
        "capacity must be from 1 to 9223372036854775807, not 0");
  CHECK(refusal<FixedWindow>({1, Duration{1}}, {.boundary = Boundary::kClosed}) ==
        "boundary=closed needs anchor=first");
  CHECK_THROWS_WITH_AS((void)make_policy("leeky", {1, Duration{1}}),
                       "there is no policy called 'leeky'", std::invalid_argument);
}

TEST_CASE_TEMPLATE("options() holds every option the policy takes, clock only when given", P,
                   FixedWindow, SlidingLog, SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  const P policy(Limit{4, Duration{9}});
  for (const Option option : kAllOptions) {
    const bool taken =
        std::find(P::kOptions.begin(), P::kOptions.end(), option) != P::kOptions.end();
    CHECK(has_option(policy.options(), option) == (taken && option != Option::kClock));
  }
  CHECK(policy_name(make_policy(P::kName, {4, Duration{9}})) == P::kName);
}

TEST_CASE("divisions round towards the named infinity, in 64 and in 128 bits") {
  for (const Wide scale : {Wide{1}, Wide{kInt64Max}}) {
    CHECK(floor_div(-7 * scale, 2 * scale) == -4);
    CHECK(floor_div(-8 * scale, 2 * scale) == -4);
    CHECK(floor_div(7 * scale, 2 * scale) == 3);
    CHECK(ceil_div(-7 * scale, 2 * scale) == -3);
    CHECK(ceil_div(7 * scale, 2 * scale) == 4);
    CHECK(ceil_div(8 * scale, 2 * scale) == 4);
  }
  CHECK(floor_mod(-1, 10) == 9);
  CHECK(floor_mod(-10, 10) == 0);
  CHECK(saturate(kWideMax) == kInt64Max);
  CHECK(saturate(kWideMin) == kInt64Min);
  CHECK(saturating_add(kWideMax - 1, Wide{2}) == kWideMax);
}

TEST_CASE("waits are rounded up to whole ticks and saturate") {
  CHECK(wait_until(at(0), at(0), Duration{10}) == Duration{0});
  CHECK(wait_until(at(0), at(1), Duration{10}) == Duration{10});
  CHECK(wait_until(at(0), at(10), Duration{10}) == Duration{10});
  CHECK(wait_until(at(-5), at(6), Duration{10}) == Duration{20});
  CHECK(wait_until(at(kInt64Min), at(kInt64Max - 1), Duration{1}) == Duration::max());
  CHECK(wait_until(at(0), at(kInt64Max - 1), Duration{10}) == Duration::max());
  CHECK(wait_until(at(5), Instant::max(), Duration{1}) == Duration::max());
}

}  // namespace
}  // namespace ratereplay
