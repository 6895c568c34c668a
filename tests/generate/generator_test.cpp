// SPDX-License-Identifier: Apache-2.0
#include "generate/generator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "generate/exponential.hpp"
#include "generate/random.hpp"
#include "generate/zipf.hpp"

namespace ratereplay {
namespace {

using namespace std::chrono_literals;

Recipe defaults(std::string_view model) { return find_model(model)->defaults; }

std::vector<GeneratedEvent> make(std::string_view model, const Recipe& recipe) {
  const auto generator = find_model(model)->make(recipe);
  std::vector<GeneratedEvent> events;
  std::array<GeneratedEvent, 100> batch{};
  for (std::size_t made = batch.size(); made == batch.size();) {
    made = generator->next(batch);
    events.insert(events.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(made));
  }
  CHECK(generator->next(batch) == 0);
  CHECK(std::ranges::is_sorted(events, {}, &GeneratedEvent::at));
  return events;
}

std::vector<GeneratedEvent> make(std::string_view model) { return make(model, defaults(model)); }

std::size_t distinct_keys(const std::vector<GeneratedEvent>& events) {
  std::set<std::uint32_t> keys;
  for (const GeneratedEvent& event : events) keys.insert(event.key);
  return keys.size();
}

Duration since_start(const GeneratedEvent& event) { return event.at.time_since_epoch(); }

}  // namespace

TEST_CASE("random: mix32 agrees with the published values") {
  static_assert(mix32(0) == 0);
  static_assert(mix32(1) == 2261973619);
  static_assert(mix32(2) == 229111015);
  static_assert(mix32(42) == 671623878);
  static_assert(mix32(123456789) == 956453899);
  static_assert(mix32(2654435769) == 1684164658);
  static_assert(mix32(3735928559) == 707447538);
  static_assert(mix32(4294967295) == 2578835075);
}

TEST_CASE("random: seed 1 gives the published words") {
  Random random(1);
  CHECK(random.next() == 393288148);
  CHECK(random.next() == 2174103013);
  CHECK(random.next() == 3814759091);
  CHECK(random.next() == 2092745082);
}

TEST_CASE("random: exponential numbers have mean 1, variance 1 and the right tail") {
  Random random(7);
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  int above_one = 0;
  int above_three = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = static_cast<double>(exponential(random)) * 0x1p-32;
    sum += x;
    squares += x * x;
    above_one += x > 1 ? 1 : 0;
    above_three += x > 3 ? 1 : 0;
  }
  // Four standard errors: 1 / sqrt(200,000) = 0.0022 for the mean.
  CHECK(std::abs(sum / kDraws - 1) < 0.009);
  CHECK(std::abs(squares / kDraws - 2) < 0.04);
  CHECK(std::abs(above_one / double{kDraws} - 0.36788) < 0.0044);
  CHECK(std::abs(above_three / double{kDraws} - 0.04979) < 0.002);
}

TEST_CASE("random: gaps keep their mean to the nanosecond, however short they are") {
  // 3 in 10 ns: a gap cut to whole nanoseconds would lose half a nanosecond of 3.33 each time.
  Random random(9);
  ExponentialGaps gaps(10ns, 3);
  std::int64_t total = 0;
  for (int i = 0; i < 300'000; ++i) total += gaps.next(random).count();
  CHECK(std::abs(static_cast<double>(total) / 1e6 - 1) < 0.009);
}

TEST_CASE("random: a Zipf draw is the least rank whose running sum reaches u times the last") {
  for (const std::uint32_t n : {1U, 2U, 3U, 10U, 1000U, 200'000U}) {
    CAPTURE(n);
    const Zipf zipf(n);
    std::vector<double> sums;
    double sum = 0;
    for (std::uint32_t rank = 1; rank <= n; ++rank) sums.push_back(sum += 1.0 / rank);
    Random ours(n);
    Random theirs(n);
    for (int i = 0; i < 20'000; ++i) {
      const double target = theirs.next() * 0x1p-32 * sums.back();
      const auto least = std::ranges::lower_bound(sums, target) - sums.begin();
      if (zipf.rank(ours.next()) != static_cast<std::uint32_t>(least)) {
        CHECK(false);
        break;
      }
    }
  }
}

TEST_CASE("generate: the four reference traces have their published totals") {
  const auto steady = make("steady");
  CHECK(steady.size() == 5491);
  const std::array<Duration, 5> first{8ms, 18ms, 45ms, 81ms, 83ms};
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(since_start(steady[i]) == first[i]);
  CHECK(distinct_keys(steady) == 1);

  CHECK(make("bursty").size() == 3020);

  const auto many_keys = make("many-keys");
  CHECK(many_keys.size() == 59'877);
  CHECK(distinct_keys(many_keys) == 7'278);

  CHECK(make("overload").size() == 17'785);
}

TEST_CASE("generate: every model repeats itself, and differs with another seed") {
  for (const Model& model : models()) {
    CAPTURE(model.name);
    const auto events = make(model.name);
    CHECK(events == make(model.name));
    Recipe other = model.defaults;
    ++other.seed;
    CHECK(events != make(model.name, other));
    CHECK_FALSE(events.empty());
    CHECK(since_start(events.back()) < *model.defaults.length);
  }
}

TEST_CASE("generate: every model meets its rate, ends at its rows and keeps to its step") {
  for (const Model& model : models()) {
    CAPTURE(model.name);
    Recipe recipe = model.defaults;
    recipe.length = 600s;
    const auto events = make(model.name, recipe);
    const double share = recipe.off > 0ns
                             ? static_cast<double>(recipe.on.count()) /
                                   static_cast<double>((recipe.on + recipe.off).count())
                             : 1.0;
    const double expected = static_cast<double>(recipe.rate.count) * 600 * share;
    // onoff has some 120 phases, whose random lengths make most of the difference.
    const double tolerance = model.name == "onoff" ? 0.5 : 0.03;
    CHECK(std::abs(static_cast<double>(events.size()) / expected - 1) < tolerance);

    recipe.length.reset();
    recipe.rows = 1234;
    const auto counted = make(model.name, recipe);
    CHECK(counted.size() == 1234);
    CHECK(std::equal(counted.begin(), counted.end(), events.begin()));

    recipe.step = 100us;
    recipe.rows = 500;
    bool fine = false;
    for (const GeneratedEvent& event : make(model.name, recipe)) {
      CHECK(since_start(event) % 100us == 0ns);
      fine = fine || since_start(event) % 1ms != 0ns;
    }
    CHECK(fine);
  }
}

TEST_CASE("generate: poisson takes any rate, several keys and costs") {
  Recipe recipe = defaults("poisson");
  recipe.rate = {1'000'000, 1s};
  recipe.step = 1ns;
  recipe.length = 100ms;
  recipe.keys = 1000;
  recipe.least_cost = 1;
  recipe.greatest_cost = 5;
  const auto events = make("poisson", recipe);
  CHECK(events.size() > 98'500);
  CHECK(events.size() < 101'500);
  CHECK(distinct_keys(events) > 950);
  std::array<int, 6> costs{};
  for (const GeneratedEvent& event : events) ++costs.at(event.cost);
  CHECK(costs[0] == 0);
  for (std::size_t cost = 1; cost <= 5; ++cost) CHECK(costs[cost] > 19'000);

  recipe.rate = {1, 24h};
  recipe.length = 10 * 24h;
  CHECK(make("poisson", recipe).size() < 40);
}

TEST_CASE("generate: boundary gives each window its rate, and twice as much across an edge") {
  const auto events = make("boundary");
  std::vector<int> windows(61);
  int near_edge = 0;
  for (const GeneratedEvent& event : events) {
    ++windows.at(static_cast<std::size_t>(since_start(event) / 1s));
    const Duration from_edge = (since_start(event) + 10ms) % 2s - 1s;
    CHECK(from_edge >= 0ms);
    CHECK(from_edge < 20ms);
    near_edge += since_start(event) / 2s == 0 ? 1 : 0;
  }
  CHECK(near_edge == 200);
  for (std::size_t i = 0; i < 60; ++i) CHECK(windows[i] == 100);

  Recipe keyed = defaults("boundary");
  keyed.keys = 4;
  keyed.rate.count = 400;
  std::vector<int> turns(4);
  for (const GeneratedEvent& event : make("boundary", keyed)) ++turns.at(event.key);
  for (const int count : turns) CHECK(count == turns[0]);
}

TEST_CASE("generate: what cannot be followed is refused") {
  const auto refusal = [](std::string_view model, auto&& change) {
    Recipe recipe = defaults(model);
    change(recipe);
    try {
      static_cast<void>(find_model(model)->make(recipe));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      return std::string(error.what());
    }
    return std::string("made");
  };
  CHECK(refusal("steady", [](Recipe& r) { r.length.reset(); }) == "the trace would never end");
  CHECK(refusal("steady", [](Recipe& r) { r.rate.count = 1001; }) ==
        "the rate is more than one request a step");
  CHECK(refusal("steady", [](Recipe& r) { r.rate.count = 1000; }) == "made");
  CHECK(refusal("poisson", [](Recipe& r) { r.rate.count = 0; }) == "the rate is out of range");
  CHECK(refusal("poisson", [](Recipe& r) { r.keys = 0; }) == "the keys are out of range");
  CHECK(refusal("poisson", [](Recipe& r) { r.least_cost = 2; }) ==
        "the costs are in the wrong order");
  CHECK(refusal("onoff", [](Recipe& r) { r.off = 0s; }) ==
        "the phases on and off last 1 ns or more");
  CHECK(refusal("bursty", [](Recipe& r) { r.on = 1500us; }) ==
        "requests must come for a whole number of steps");
  CHECK(refusal("boundary", [](Recipe& r) { r.spread = 501ms; }) ==
        "the spread must be from one step to half a window");
}

TEST_CASE("generate: a trace without length ends where time does") {
  Recipe recipe = defaults("poisson");
  recipe.length.reset();
  recipe.rows = 1'000'000;
  recipe.rate = {1, 100 * 365 * 24h};
  CHECK(make("poisson", recipe).size() < 20);
  Recipe edges = defaults("boundary");
  edges.length.reset();
  edges.rows = 1'000'000;
  edges.window = 100 * 365 * 24h;
  edges.rate = {1, 100 * 365 * 24h};
  CHECK(make("boundary", edges).size() == 2);  // edges at 100 and 300 years, of 292
}

}  // namespace ratereplay
