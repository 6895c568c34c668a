// SPDX-License-Identifier: Apache-2.0
#include "vectors/generate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "policies/every_option.hpp"
#include "reference/model.hpp"
#include "spec/option_text.hpp"
#include "spec/policy_spec.hpp"
#include "vectors/from_trace.hpp"
#include "vectors/policy_decider.hpp"
#include "vectors/verify.hpp"

namespace ratereplay::test {
namespace {

using namespace std::chrono_literals;

/// The reference model as a limiter: shares no rule with the policies.
class ModelDecider final : public Decider {
 public:
  void open(const PolicySpec& spec, Unit unit) override {
    spec_ = &spec;
    unit_ = unit;
    keys_.clear();
  }

  Answer decide(const Request& request) override {
    const auto [found, added] =
        keys_.try_emplace(request.key, policy_name(spec_->policy), limit_of(spec_->policy),
                          options_of(spec_->policy), reference::Search::kBisect);
    const Decision decision =
        found->second.admit(unit_.instant(request.at), request.cost, Duration{unit_.nanos});
    Answer answer{.admitted = decision.admitted(), .remaining = Told{.value = decision.remaining}};
    answer.retry_after =
        decision.retry_after ? Told{.value = unit_.ceil(decision.retry_after->count())} : kNever;
    const auto instant = [&](Instant at) {
      return Told{.value = unit_.ceil(at.time_since_epoch().count())};
    };
    answer.reset_at = decision.reset_at ? instant(*decision.reset_at) : kNever;
    answer.full_at = decision.reset_at ? instant(decision.full_at) : kNever;
    answer.delay = Told{.value = unit_.ceil(decision.delay.count())};
    return answer;
  }

  [[nodiscard]] std::optional<std::string> state(std::string_view) const override {
    return std::nullopt;
  }

 private:
  const PolicySpec* spec_ = nullptr;
  Unit unit_;
  std::map<std::string, reference::Model> keys_;
};

PolicySpec spec_of(const AnyPolicy& policy) { return {"", canonical_text(policy), policy}; }

VectorFile generated(const PolicySpec& spec) {
  VectorFile file{.unit = unit_for(spec.policy)};
  generate_cases(spec, file);
  return file;
}

void check_passes(const VectorFile& file, Decider& decider) {
  for (const CaseVerdict& one : verify(file, "", decider).cases) {
    CAPTURE(one.policy);
    CAPTURE(one.name);
    if (!one.divergence) continue;
    CAPTURE(one.divergence->step);
    CAPTURE(answer_text(one.divergence->expected));
    CAPTURE(answer_text(one.divergence->got));
    CHECK_FALSE(one.divergence.has_value());
  }
}

}  // namespace

TEST_CASE("vectors generate: what is generated for every policy and option passes on both models") {
  for_each_policy([&]<Policy P>() {
    for (const Options& options : testing::every_option<P>({2, 9}, {300ms})) {
      const VectorFile file = generated(spec_of(P({5, 1s}, options)));
      PolicyDecider ours;
      check_passes(file, ours);
      ModelDecider model;
      check_passes(file, model);
    }
  });
}

TEST_CASE("vectors generate: odd limits make vectors that pass") {
  for (const char* text :
       {"sliding-log:1/1ms", "fixed-window:1/1ns", "sliding-counter:3/7us", "gcra:3/1s,capacity=2",
        "gcra:1000/1s,capacity=1", "token-bucket:100k/1h,refill=interval", "leaky-bucket:9/1w",
        "sliding-log:100M/1d", "fixed-window:9223372036854775807/9223372036854775807ns",
        "gcra:9223372036854775807/9223372036854775807ns", "sliding-counter:5/9223372036s",
        "sliding-log:5/292y"}) {
    CAPTURE(text);
    if (std::string(text).ends_with("y")) continue;
    const PolicySpec spec = parse_policy(text, "test");
    const VectorFile file = generated(spec);
    CHECK_FALSE(file.cases.empty());
    PolicyDecider ours;
    check_passes(file, ours);
  }
}

TEST_CASE("vectors generate: each variant that can decide otherwise is ruled out by a case") {
  for_each_policy([&]<Policy P>() {
    for (const Options& options : testing::every_option<P>({4}, {})) {
      const PolicySpec spec = spec_of(P({5, 1s}, options));
      CAPTURE(spec.canonical);
      VectorFile file{.unit = kMilliseconds};
      const Coverage coverage = generate_cases(spec, file);
      REQUIRE(coverage.ruled_out.size() == file.cases.size());
      for (const Variant& rival : rivals_of(spec.policy, file.unit)) {
        CAPTURE(rival.name);
        const bool ruled_out =
            std::any_of(file.cases.begin(), file.cases.end(), [&](const VectorCase& one) {
              std::vector<Request> requests;
              for (const VectorStep& step : one.steps) requests.push_back(step.request);
              return first_disagreement(spec.policy, rival.policy, file.unit, requests) <
                     requests.size();
            });
        // The same decisions under two names, and what no decision depends on.
        const bool rate = options.refill != Refill::kInterval && P::kName != "fixed-window" &&
                          P::kName != "sliding-log" && P::kName != "sliding-counter";
        const bool same_rate = rate &&
                               (rival.name == "gcra" || rival.name == "token-bucket" ||
                                rival.name == "leaky-bucket") &&
                               options.charge != Charge::kAttempted;
        const bool mode = rival.name == "mode=meter" || rival.name == "mode=queue";
        const bool exact = (options.round == Round::kCeil && rival.name == "round=exact") ||
                           (options.round == Round::kExact && rival.name == "round=ceil");
        CHECK(ruled_out != (same_rate || mode || exact));
      }
    }
  });
}

TEST_CASE("vectors generate: of every two combinations of options, one step tells them apart") {
  for_each_policy([&]<Policy P>() {
    const PolicySpec spec = spec_of(P({5, 1s}, {}));
    const VectorFile file = generated(spec);
    const auto decided = [&](const AnyPolicy& policy) {
      std::vector<bool> all;
      for (const VectorCase& one : file.cases) {
        PolicyDecider decider(policy, file.unit);
        for (const VectorStep& step : one.steps) {
          all.push_back(*decider.decide(step.request).admitted);
        }
      }
      return all;
    };
    // What no decision depends on is taken out: round=ceil decides as exact, mode=meter as queue.
    std::map<std::vector<bool>, std::string> seen;
    for (const AnyPolicy& policy : combinations(spec.policy)) {
      const Options& options = options_of(policy);
      if (options.round == Round::kCeil || options.mode == Mode::kMeter) continue;
      const auto [same, fresh] = seen.emplace(decided(policy), canonical_text(policy));
      CAPTURE(canonical_text(policy));
      CAPTURE(same->second);
      CHECK(fresh);
    }
  });
}

TEST_CASE("vectors generate: the same policy gives the same bytes, and not many") {
  for (const char* text : {"sliding-counter:5/1s", "gcra:3/1s,capacity=2", "sliding-log:100/1m"}) {
    CAPTURE(text);
    const VectorFile file = generated(parse_policy(text, "test"));
    CHECK(vectors_json(file) == vectors_json(generated(parse_policy(text, "test"))));
    std::size_t steps = 0;
    for (const VectorCase& one : file.cases) steps += one.steps.size();
    CHECK(steps < 300);
  }
}

TEST_CASE("vectors generate: a trace gives the shortest requests that show a behaviour") {
  const PolicySpec spec = parse_policy("sliding-log:2/1s", "test");
  // The second key shows a refusal after three requests; the first after five.
  const std::vector<TraceKey> keys{
      {"slow", {{0, 1, 1}, {2000, 1, 5}, {2001, 1, 6}, {2900, 1, 8}, {3000, 1, 9}}},
      {"fast", {{100, 1, 2}, {2000, 2, 4}, {2500, 1, 7}, {3000, 1, 10}}}};
  const std::vector<VectorCase> cases = cases_from_trace(spec, kMilliseconds, keys);
  const auto find = [&](std::string_view name) {
    return std::find_if(cases.begin(), cases.end(),
                        [&](const VectorCase& one) { return one.name == name; });
  };
  const auto refuses = find("refuses");
  REQUIRE(refuses != cases.end());
  REQUIRE(refuses->steps.size() == 2);
  CHECK(refuses->steps[0].request == Request{2000, "fast", 2});
  CHECK(refuses->steps[1].request == Request{2500, "fast", 1});
  CHECK(refuses->steps[1].expect.retry_after == Told{.value = 500});
  CHECK(refuses->note.find("rows 4 to 7") != std::string::npos);
  // 3000 is exactly a window after 2000.
  const auto closed = std::find_if(cases.begin(), cases.end(), [](const VectorCase& one) {
    return (one.name + one.note).find("not boundary=closed") != std::string::npos;
  });
  REQUIRE(closed != cases.end());
  CHECK(closed->steps.back().request == Request{3000, "fast", 1});
  CHECK(closed->steps.size() == 2);
  for (const VectorCase& one : cases) {
    PolicyDecider ours;
    check_passes({kMilliseconds, "", {one}}, ours);
  }
}

}  // namespace ratereplay::test
