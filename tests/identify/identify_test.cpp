// SPDX-License-Identifier: Apache-2.0
#include "identify/identify.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "error.hpp"
#include "identify/variants.hpp"
#include "ratereplay/policy.hpp"
#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// One of our policies, that tells what it is made to tell.
class Unknown final : public Decider {
 public:
  Unknown(AnyPolicy policy, Unit unit, bool tells_delay)
      : policy_(std::move(policy)), unit_(unit), tells_delay_(tells_delay) {
    std::visit([&]<class P>(const P& made) { bind(made); }, policy_);
  }

  void open(const PolicySpec&, Unit) override {}
  [[nodiscard]] std::optional<std::string> state(std::string_view) const override { return {}; }
  Answer decide(const Request& request) override {
    ++asked;
    const Decision decision = decide_(request);
    Answer answer{.admitted = decision.admitted()};
    if (tells_delay_) answer.delay = Told{.value = unit_.ceil(decision.delay.count())};
    return answer;
  }

  std::size_t asked = 0;

 private:
  template <class P>
  void bind(const P& made) {
    auto keys = std::make_shared<std::unordered_map<std::string, Tracked<P>>>();
    decide_ = [this, made, keys](const Request& request) {
      return admit(made, (*keys)[request.key], unit_.instant(request.at), request.cost,
                   Duration{unit_.nanos});
    };
  }

  AnyPolicy policy_;
  Unit unit_;
  bool tells_delay_;
  std::function<Decision(const Request&)> decide_;
};

/// Whether two policies answer a thousand random requests alike, on the grid of the unit.
bool decide_alike(const AnyPolicy& a, const AnyPolicy& b, const Limit& limit, Unit unit,
                  bool delays, bool unit_costs) {
  Unknown first(a, unit, true);
  Unknown second(b, unit, true);
  std::mt19937_64 random(1);
  const std::int64_t window = limit.window.count() / unit.nanos;
  std::int64_t at = 10 * window;
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t widest =
        std::vector<std::int64_t>{2, window / 4 + 1, 2 * window}[random() % 3];
    at += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(widest));
    const auto most = static_cast<std::uint64_t>(limit.count) + 2;
    const Cost cost = unit_costs ? 1 : static_cast<Cost>(random() % most);
    const Request request{at, fmt::format("{}", i / 30), cost};
    const Answer one = first.decide(request);
    const Answer other = second.decide(request);
    if (one.admitted != other.admitted || (delays && one.delay != other.delay)) return false;
  }
  return true;
}

struct Setting {
  const char* limit;
  std::int64_t capacity;
  std::vector<Duration> clocks;
};

Limit limit_from(const std::string& text) {
  return limit_of(parse_policy("gcra:" + text, "test").policy);
}

void check_all_variants(const Setting& setting, bool tells_delay, bool unit_costs = false) {
  const Limit limit = limit_from(setting.limit);
  const Question question{{limit}, std::nullopt, setting.clocks, unit_costs, 1};
  const std::int64_t capacities[] = {setting.capacity};
  const auto variants = variants_of(limit, capacities, setting.clocks);
  REQUIRE(variants.size() == 36 * (1 + setting.clocks.size()));
  for (const PolicySpec& truth : variants) {
    CAPTURE(truth.canonical);
    Unknown limiter(truth.policy, kMilliseconds, tells_delay);
    const Identification found = identify(limiter, kMilliseconds, question);
    CHECK(limiter.asked <= kMostProbes);
    bool named = false;
    for (std::size_t i = 0; i < found.consistent(); ++i) {
      const PolicySpec& other = found.variants[found.matches[i].variant];
      named = named || other.canonical == truth.canonical;
      if (other.canonical == truth.canonical) continue;
      CAPTURE(other.canonical);
      CHECK(
          decide_alike(truth.policy, other.policy, limit, kMilliseconds, tells_delay, unit_costs));
    }
    CHECK(named);
  }
}

TEST_CASE("identify: every combination of options is named within 200 decisions") {
  check_all_variants({"5/1s", 5, {}}, false);
  check_all_variants({"5/1s", 5, {}}, true);
  check_all_variants({"5/1s", 7, {}}, false);
  check_all_variants({"10/1m", 10, {seconds{1}}}, false);
  check_all_variants({"7/1s", 3, {milliseconds{300}}}, true);
}

TEST_CASE("identify: requests of cost 1 are enough where the limit is small") {
  check_all_variants({"4/1s", 4, {}}, false, true);
}

TEST_CASE("identify: what is none of the variants is told, with the nearest") {
  /// Admits every third request.
  class Odd final : public Decider {
   public:
    void open(const PolicySpec&, Unit) override {}
    [[nodiscard]] std::optional<std::string> state(std::string_view) const override { return {}; }
    Answer decide(const Request&) override { return {.admitted = asked_++ % 3 == 0}; }

   private:
    int asked_ = 0;
  };
  Odd odd;
  const Identification found = identify(odd, kMilliseconds, {{{5, seconds{1}}}});
  CHECK(found.consistent() == 0);
  REQUIRE(found.matches.front().first);
  const std::size_t at = found.matches.front().first->event;
  CHECK(found.matches.front().first->ours.admitted() != found.evidence.admitted[at]);
  CHECK(found.matches.front().agreed >= found.matches.back().agreed);
}

TEST_CASE("identify: evidence of several limits") {
  const AnyPolicy truth = parse_policy("sliding-counter:5/1s,round=exact", "test").policy;
  Unknown limiter(truth, kMilliseconds, false);
  Evidence evidence;
  evidence.keys = {"a"};
  std::mt19937_64 random(7);
  std::int64_t at = 0;
  for (std::uint64_t row = 0; row < 2000; ++row) {
    at += static_cast<std::int64_t>(random() % 300);
    evidence.events.push_back({at * 1'000'000, row, 0, 1});
    evidence.admitted.push_back(*limiter.decide({at, "a", 1}).admitted);
  }
  const Identification found =
      identify(evidence, {{limit_from("10/1s"), limit_from("5/1s")}, std::nullopt, {}, false, 2});
  CHECK(found.variants.size() == 72);
  REQUIRE(found.consistent() == 2);
  CHECK(found.variants[found.matches[0].variant].canonical == "sliding-counter:5/1s,round=exact");
  CHECK(found.variants[found.matches[1].variant].canonical == "sliding-counter:5/1s,round=ceil");
}

TEST_CASE("identify: quotas of a day and of a hundred days") {
  check_all_variants({"5/1d", 5, {}}, false);
  check_all_variants({"5/100d", 5, {}}, false);
}

TEST_CASE("identify: limits that a request can pass, and those that none can") {
  const std::int64_t most = 0xFFFF'FFFF;
  for (const std::int64_t limit : {most, most + 1}) {
    const AnyPolicy truth = parse_policy(fmt::format("gcra:{}/1s", limit), "test").policy;
    Unknown limiter(truth, kMilliseconds, false);
    const auto ask = [&] { return identify(limiter, kMilliseconds, {{{limit, seconds{1}}}}); };
    if (limit == most) {
      CHECK(ask().consistent() > 0);
    } else {
      CHECK_THROWS_AS(static_cast<void>(ask()), Error);
    }
  }
}

TEST_CASE("identify: windows that cannot be tried out") {
  Unknown limiter(parse_policy("gcra:5/1s", "test").policy, kMilliseconds, false);
  CHECK_THROWS_AS(static_cast<void>(identify(limiter, kMilliseconds, {{{5, Duration{1}}}})), Error);
  CHECK_THROWS_AS(
      static_cast<void>(identify(limiter, kMilliseconds, {{{5, std::chrono::hours{24 * 365}}}})),
      Error);
}

}  // namespace
}  // namespace ratereplay
