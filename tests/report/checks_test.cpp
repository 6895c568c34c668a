// SPDX-License-Identifier: Apache-2.0
#include "report/checks.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "error.hpp"
#include "report/sample_result.hpp"

namespace ratereplay {
namespace {

std::vector<PolicySpec> specs() {
  return {parse_policy("sliding-log:30/1s", "-p 1"), parse_policy("edge=gcra:1000/1m", "-p 2")};
}

std::vector<Check> parse(std::vector<std::string> texts) { return parse_checks(texts, specs()); }

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse({text}));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    const Diagnostic& diagnostic = error.diagnostic();
    std::string all = diagnostic.message;
    if (diagnostic.place) {
      all +=
          " | " + diagnostic.place->text.substr(diagnostic.place->offset, diagnostic.place->length);
    }
    for (const std::string& line : diagnostic.advice) all += " | " + line;
    return all;
  }
  return "accepted";
}

/// The check on the sample's second policy.
CheckResult checked(const std::string& text, Result result = test::sample_result()) {
  std::vector<Check> checks = parse({text});
  for (Check& check : checks) check.policy = result.policies.size() - 1;
  const bool all = evaluate(checks, result);
  CHECK(all == result.policies.back().checks.back().passed);
  return result.policies.back().checks.back();
}

}  // namespace

TEST_CASE("checks compare every metric with every operator") {
  struct Row {
    const char* text;
    bool passed;
    const char* value;
  };
  const Row table[] = {
      {"requests==64973", true, "64973"},
      {"admitted>=60721", true, "60721"},
      {"admitted>60721", false, "60721"},
      {"admitted < 60.722k", true, "60721"},
      {"refused!=4252", false, "4252"},
      {"refused<=1M", true, "4252"},
      {"refused_ratio<=0.1", true, "0.0654"},
      {"refused_ratio<=10%", true, "0.0654"},
      {"refused_ratio<6.5%", false, "0.0654"},
      {"keys_refused==7", true, "7"},
      {"keys_refused_ratio<3 %", true, "0.0290"},
      {"max_admitted<=44", false, "45"},
      {"retry_after.p50==16ms", true, "16"},
      {"retry_after.p90<=0.12s", true, "120"},
      {"retry_after.p99<344ms", false, "344"},
      {"retry_after.max<=951000us", true, "951"},
      {"reserved_bytes<=5784", true, "5784"},
      {"reserved_bytes<=5.6KiB", false, "5784"},  // 5734.4
      {"reserved_bytes<6kB", true, "5784"},
      {"live_bytes>5759.999", true, "5760"},
      {"agreement>=95%", true, "0.9548"},
      {"agreement==100%", false, "0.9548"},
  };
  for (const Row& row : table) {
    CAPTURE(row.text);
    const CheckResult result = checked(row.text);
    CHECK(result.passed == row.passed);
    CHECK(result.value == row.value);
    CHECK(result.expression == row.text);
  }
}

TEST_CASE("a ratio is compared exactly and shown with the digits that tell") {
  // 4252 / 64973 = 0.06544257...
  CHECK(checked("refused_ratio<=0.0654").passed == false);
  CHECK(checked("refused_ratio<=0.0654").value == "0.06544");
  CHECK(checked("refused_ratio<=6.5443%").passed == true);
  Result result = test::sample_result();
  result.policies.back().admitted = (std::uint64_t{1} << 63) - 1;
  result.policies.back().refused = std::uint64_t{1} << 63;
  CHECK(checked("refused_ratio>0.5", result).passed);  // by 5e-20: no double sees it
  CHECK(checked("refused_ratio==0.5", result).passed == false);
}

TEST_CASE("a check on an undefined value fails whatever it asks") {
  Result result = test::sample_result();
  result.policies.back().refused = 0;
  result.policies.back().retry_after = {};
  for (const char* text : {"retry_after.p50<=1h", "retry_after.max>=0s", "retry_after.p99!=1s",
                           "delay.p99<=1h", "delay.p99!=1s"}) {
    CAPTURE(text);
    CHECK(checked(text, result).passed == false);
    CHECK_FALSE(checked(text, result).value);
  }
}

TEST_CASE("a wait that never ends is longer than any other") {
  Result result = test::sample_result();
  PolicyResult& policy = result.policies.back();
  policy.never = 1;
  policy.retry_or_never = {std::chrono::milliseconds{17}, std::chrono::milliseconds{200},
                           std::nullopt};
  CHECK(checked("retry_after.p50<=17ms", result).passed);
  CHECK(checked("retry_after.p90==200ms", result).value == "200");
  CHECK(checked("retry_after.p99<=1000w", result).passed == false);
  CHECK(checked("retry_after.p99>1000w", result).passed);
  CHECK(checked("retry_after.max!=1s", result).passed);
  CHECK_FALSE(checked("retry_after.max>1s", result).value);
}

TEST_CASE("a check names its policy by label or by another spelling, else means all") {
  Result result = test::sample_result();
  const std::vector<Check> checks =
      parse({"refused<5", "edge refused<5", "sliding-log:30/1000ms refused>5",
             "gcra:1k/60s  refused < 1"});
  CHECK_FALSE(checks[0].policy);
  CHECK(checks[1].policy == 1);
  CHECK(checks[2].policy == 0);
  CHECK(checks[3].policy == 1);
  CHECK_FALSE(evaluate(checks, result));
  CHECK(result.policies[0].checks.size() == 2);
  CHECK(result.policies[1].checks.size() == 3);
}

TEST_CASE("what cannot be checked is refused before anything is read") {
  const std::pair<const char*, const char*> table[] = {
      {"refused",
       "this check compares nothing | refused | write '[policy] metric op value', as in "
       "'refused_ratio<=5%'; op is < <= > >= == !="},
      {"refusd<=5", "unknown metric 'refusd' | refusd | did you mean 'refused'?"},
      {"<=5",
       "the metric is missing | <= | metrics: requests admitted refused refused_ratio "
       "keys_refused keys_refused_ratio max_admitted retry_after.p50 retry_after.p90 "
       "retry_after.p99 retry_after.max delay.p99 reserved_bytes live_bytes agreement"},
      {"refused=5", "'=' is not an operator of checks | = | write == for equal"},
      {"refused=<5", "'=<' is not an operator of checks | =< | operators: < <= > >= == !="},
      {"edgy refused<5", "no policy 'edgy' in this run | edgy | did you mean 'edge'?"},
      {"other refused<5",
       "no policy 'other' in this run | other | policies: sliding-log:30/1s, edge"},
      {"refused<", "the value is missing | < | write it behind the operator"},
      {"refused<-1", "refused is compared with a count, as in 1500 or 1.5k | -1"},
      {"refused<5%", "refused is compared with a count, as in 1500 or 1.5k | 5%"},
      {"refused<1e3", "refused is compared with a count, as in 1500 or 1.5k | 1e3"},
      {"refused<1.", "refused is compared with a count, as in 1500 or 1.5k | 1."},
      {"refused_ratio<5",
       "refused_ratio is never more than 1 | 5 | write 0.05 or 5% for five in a hundred"},
      {"retry_after.p99<2000",
       "retry_after.p99 is compared with a duration | 2000 | write the unit, as in 2000ms"},
      {"retry_after.p99<2 parsecs",
       "retry_after.p99 is compared with a duration | 2 parsecs | write one as in 250ms, 2s or "
       "1.5m"},
      {"reserved_bytes<5ms",
       "reserved_bytes is compared with a size, as in 4096, 64kB or 1.5MiB | 5ms"},
      {"live_bytes<0.12345678901234567",
       "this number has more digits than a check can hold | 0.12345678901234567 | write at most 16 "
       "digits behind the point"},
  };
  for (const auto& [text, message] : table) CHECK(refusal(text) == message);
  CHECK(refusal("live_bytes<340282366920938463463374607431768211456") ==
        "this number has more digits than a check can hold | "
        "340282366920938463463374607431768211456 | write at most 16 digits behind the point");
  CHECK(refusal("live_bytes<340282366920938463463374607431768211455") == "accepted");
}

}  // namespace ratereplay
