// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <unordered_map>

#include "ratereplay/policies.hpp"
#include "reference/recipe_traces.hpp"

namespace ratereplay {
namespace {

using reference::Arrival;
using reference::recipe_trace;

std::int64_t admitted(const AnyPolicy& any, const std::vector<Arrival>& trace) {
  return std::visit(
      [&]<Policy P>(const P& policy) {
        std::unordered_map<std::uint32_t, typename P::State> states;
        std::int64_t total = 0;
        for (const auto& [ms, key] : trace) {
          const Instant at{std::chrono::milliseconds{ms}};
          total += policy.commit(states[key], at, 1) == Outcome::kAdmitted;
        }
        return total;
      },
      any);
}

TEST_CASE("the recipe gives the published numbers") {
  CHECK(reference::mix32(0) == 0);
  CHECK(reference::mix32(1) == 2261973619U);
  CHECK(reference::mix32(42) == 671623878U);
  CHECK(reference::mix32(4294967295U) == 2578835075U);
  reference::Words words(1);
  for (const std::uint32_t word : {393288148U, 2174103013U, 3814759091U, 2092745082U})
    CHECK(words.next() == word);
  const std::vector<Arrival> steady = recipe_trace("steady");
  const std::int64_t first[] = {8, 18, 45, 81, 83};
  for (std::size_t i = 0; i < 5; ++i) CHECK(steady[i].ms == first[i]);
  std::set<std::uint32_t> keys;
  for (const Arrival& arrival : recipe_trace("many-keys")) keys.insert(arrival.key);
  CHECK(keys.size() == 7278);
}

TEST_CASE("each policy admits its published totals of the generated traces at 100/s") {
  const std::vector<Arrival> steady = recipe_trace("steady");
  const std::vector<Arrival> bursty = recipe_trace("bursty");
  const std::vector<Arrival> many_keys = recipe_trace("many-keys");
  const std::vector<Arrival> overload = recipe_trace("overload");
  CHECK(steady.size() == 5491);
  CHECK(bursty.size() == 3020);
  CHECK(many_keys.size() == 59877);
  CHECK(overload.size() == 17785);

  struct Row {
    std::string_view policy;
    Options options;
    std::int64_t steady, bursty, overload;
  };
  const Row rows[] = {
      {"fixed-window", {}, 5451, 2927, 6000},
      {"sliding-log", {}, 5366, 2927, 6000},
      {"sliding-counter", {}, 5407, 2927, 5999},
      {"gcra", {}, 5491, 3020, 6099},
      {"token-bucket", {}, 5491, 3020, 6099},
      {"leaky-bucket", {}, 5491, 3020, 6099},
      {"leaky-bucket", {.mode = Mode::kMeter}, 5491, 3020, 6099},
      {"token-bucket", {.refill = Refill::kInterval}, 5448, 2927, 6000},
      {"sliding-counter", {.round = Round::kExact}, 5390, 2927, 5941},
      {"sliding-counter", {.round = Round::kCeil}, 5390, 2927, 5941},
      {"sliding-counter", {.round = Round::kNearest}, 5397, 2927, 5985},
      {"sliding-log", {.boundary = Boundary::kClosed}, 5364, 2927, 6000},
      {"sliding-counter", {.charge = Charge::kAttempted}, 4836, 2927, 100},
      {"fixed-window", {.anchor = Anchor::kFirst}, 5450, 2927, 6000},
  };
  for (const Row& row : rows) {
    INFO(row.policy << " " << (&row - rows));
    const AnyPolicy policy = make_policy(row.policy, {100, std::chrono::seconds{1}}, row.options);
    CHECK(admitted(policy, steady) == row.steady);
    CHECK(admitted(policy, bursty) == row.bursty);
    CHECK(admitted(policy, many_keys) == 59877);
    CHECK(admitted(policy, overload) == row.overload);
  }
}

}  // namespace
}  // namespace ratereplay
