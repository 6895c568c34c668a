// SPDX-License-Identifier: Apache-2.0
#include "vectors/policy_decider.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "vectors/answer_fields.hpp"
#include "vectors/verify.hpp"

namespace ratereplay::test {
namespace {

PolicyDecider decider(const char* policy, Unit unit = kMilliseconds) {
  return {parse_policy(policy, "test").policy, unit};
}

}  // namespace

TEST_CASE("a policy as a decider: times are whole units, rounded up") {
  PolicyDecider gcra = decider("gcra:3/1s,capacity=2");
  // The arrival time after two units is 666.6 ms: one more is due at 333.3.
  CHECK(answer_text(gcra.decide({0, "a", 2})) ==
        "admitted, remaining 0, retryAfter 0, resetAt 334, fullAt 667, delay 0");
  CHECK(answer_text(gcra.decide({0, "a", 1})) ==
        "refused, remaining 0, retryAfter 334, resetAt 334, fullAt 667, delay 0");
  CHECK(answer_text(gcra.decide({0, "b", 3})) ==
        "refused, remaining 2, retryAfter never, resetAt never, fullAt never, delay 0");
  CHECK(gcra.due({0, "a", 1}) == 334);
  CHECK(gcra.due({400, "a", 1}) == 400);
  CHECK_FALSE(gcra.due({0, "a", 3}).has_value());
  const Answer peeked = gcra.peek({334, "a", 1});
  CHECK(peeked.admitted == true);
  CHECK(gcra.peek({334, "a", 1}) == peeked);

  PolicyDecider leaky = decider("leaky-bucket:3/1s", kUnits[3]);
  CHECK(leaky.decide({0, "a", 1}).delay == Told{.value = 0});
  CHECK(leaky.decide({0, "a", 1}).delay == Told{.value = 333'333'334});
}

TEST_CASE("a policy as a decider: what passes the end of time is not told") {
  PolicyDecider log = decider("sliding-log:1/1s");
  const std::int64_t last = kInt64Max / kMilliseconds.nanos;
  CHECK(answer_text(log.decide({last, "a", 1})) == "admitted, remaining 0, retryAfter 0, delay 0");
  const Answer refused = log.decide({last, "a", 1});
  CHECK(refused.admitted == false);
  CHECK_FALSE(refused.retry_after.has_value());
  CHECK_FALSE(log.due({last, "a", 1}).has_value());
}

TEST_CASE("a policy as a decider: it says what it knows of a key") {
  struct Row {
    const char* policy;
    std::vector<Request> requests;
    const char* state;
  };
  const std::vector<Row> rows{
      {"fixed-window:5/1s", {}, "fresh"},
      {"fixed-window:5/1s", {{1200, "a", 2}}, "count 2, window ends at 2000"},
      {"fixed-window:5/1s,anchor=first", {{-200, "a", 2}}, "count 2, window ends at 800"},
      {"sliding-log:5/1s", {}, "fresh"},
      {"sliding-log:5/1s", {{0, "a", 2}, {10, "a", 1}}, "3 held: 2 at 0, 1 at 10"},
      {"sliding-counter:5/1s",
       {{900, "a", 2}, {1500, "a", 1}},
       "count 1, before it 2, window began at 1000"},
      {"gcra:3/1s", {}, "fresh"},
      {"gcra:3/1s", {{1000, "a", 1}}, "arrival time 1333.333334"},
      {"token-bucket:3/1s", {{-1000, "a", 1}}, "arrival time -666.666666"},
      {"token-bucket:3/1s,refill=interval", {}, "fresh"},
      {"token-bucket:3/1s,refill=interval", {{100, "a", 2}}, "tokens 1, refilled at 1100"},
      {"leaky-bucket:1/1s,capacity=3", {{0, "a", 2}}, "arrival time 2000"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.policy);
    PolicyDecider policy = decider(row.policy);
    for (const Request& request : row.requests) policy.decide(request);
    CHECK(policy.state("a") == row.state);
  }
  PolicyDecider log = decider("sliding-log:20/1s");
  for (int at = 0; at < 12; ++at) log.decide({at, "a", 1});
  CHECK(log.state("a")->ends_with("1 at 7, and 4 later instants"));
}

TEST_CASE("answers: what either leaves out is not compared") {
  const Request request{10, "a", 1};
  const auto differing = [&](const Answer& expected, const Answer& got) {
    return differing_fields(request, expected, got).size();
  };
  CHECK(differing({}, {.admitted = true}) == 0);
  CHECK(differing({.admitted = true}, {.admitted = false}) == 1);
  CHECK(differing({.remaining = Told{.value = 1}}, {}) == 0);
  CHECK(differing({.retry_after = kNever}, {.retry_after = Told{.value = 0}}) == 1);
  // Full already: null and any instant that is not later say the same.
  CHECK(differing({.full_at = kNever}, {.full_at = Told{.value = 10}}) == 0);
  CHECK(differing({.full_at = kNever}, {.full_at = Told{.value = 11}}) == 1);
  CHECK(differing({.reset_at = kNever}, {.reset_at = Told{.value = 10}}) == 1);
}

}  // namespace ratereplay::test
