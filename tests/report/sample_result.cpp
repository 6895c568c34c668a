// SPDX-License-Identifier: Apache-2.0
#include "report/sample_result.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "spec/policy_spec.hpp"

namespace ratereplay::test {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

Instant at_ms(std::int64_t ms) { return Instant{milliseconds{ms}}; }

}  // namespace

PolicyResult sample_policy(const std::string& spec) {
  PolicySpec parsed = parse_policy(spec, "test");
  PolicyResult policy{
      .name = parsed.name, .spec = parsed.canonical, .policy = std::move(parsed.policy)};
  return policy;
}

Result sample_result() {
  Result result;
  result.tool_version = "0.1.0";
  result.command = {"run", "access.log.gz",     "-k", "ip",
                    "-p",  "sliding-log:30/1s", "-p", "sliding-counter:30/1s"};
  TraceFacts& trace = result.trace;
  trace.files = {{"access.log.gz", 1234567, std::string(64, 'a'), "gzip", 64977}};
  trace.format = "combined";
  trace.time_field = "time";
  trace.time_format = "clf";
  trace.resolution = std::chrono::seconds{1};
  trace.key = {"ip"};
  trace.rows = 64977;
  trace.requests = 64973;
  trace.bad = 4;
  trace.keys = 241;
  trace.cost_total = 64973;
  trace.out_of_order = 12;
  trace.max_back = milliseconds{2000};
  trace.first = at_ms(1755734400000);
  trace.last = at_ms(1755735000000);
  trace.peak_per_second = 314;
  trace.bad_kinds = {
      {"timestamp", 4, {{"access.log.gz", 48213, 18, "day 31 does not exist in February"}}}};
  result.reference = "sliding-log:30/1s";
  result.tick = milliseconds{1};

  PolicyResult log = sample_policy("sliding-log:30/1s");
  log.admitted = 60506;
  log.refused = 4467;
  log.keys_refused = 8;
  log.retry_after = {4467,
                     milliseconds{1},
                     milliseconds{41},
                     milliseconds{500},
                     milliseconds{875},
                     milliseconds{999},
                     0.01};
  log.worst = {30, "192.0.2.10", at_ms(1755734401052)};
  log.agreement = {64973, 0, 0};
  log.memory = {240, "57840", "10984", at_ms(1755734460000), std::nullopt};
  log.top_keys = {{"192.0.2.10", 9000, 3100, at_ms(1755734401052)}};
  log.series = {std::chrono::minutes{5},
                at_ms(1755734400000),
                {40000, 24973},
                {37000, 23506},
                {3000, 1467},
                {200, 180},
                {10984, 9000}};

  PolicyResult counter = sample_policy("sliding-counter:30/1s");
  counter.admitted = 60721;
  counter.refused = 4252;
  counter.keys_refused = 7;
  counter.retry_after = {4252,
                         milliseconds{1},
                         milliseconds{16},
                         milliseconds{120},
                         milliseconds{344},
                         milliseconds{951},
                         0.01};
  counter.worst = {45, "192.0.2.10", at_ms(1755734401052)};
  counter.agreement = {62034, 1577, 1362};
  counter.memory = {24, "5784", "5760", at_ms(1755734460000), std::nullopt};
  counter.top_keys = {{"192.0.2.10", 9000, 2900, at_ms(1755734401052)}};
  counter.series = {std::chrono::minutes{5},
                    at_ms(1755734400000),
                    {40000, 24973},
                    {37100, 23621},
                    {2900, 1352},
                    {200, 180},
                    {5760, 4320}};
  result.policies.push_back(std::move(log));
  result.policies.push_back(std::move(counter));
  return result;
}

Result hostile_result() {
  Result result = sample_result();
  TraceFacts& trace = result.trace;
  trace.files = {{"a|b\x1b[31m\n\"c\".log", 1, "", "", 10}, {"\xff\xfe.log", 2, "", "zstd", 11}};
  trace.absolute = false;
  trace.resolution = Duration{1};
  trace.time_is = "end";
  trace.time_field = "t\t1";
  trace.key = {"user", "pa|th"};
  trace.cost = "bytes+1";
  trace.filtered = 3;
  trace.rows += 3;
  trace.first = Instant{Duration{-1}};
  trace.last = Instant{Duration{1'500'000}};
  trace.bad_kinds = {{"cost", 1, {{"\xff\xfe.log", 1, 2, "not \"a\" number: \x01\xff"}}}};
  result.stats = RunStats{2, 1.25, 0.0625, 50'000'000};

  PolicyResult leaky = sample_policy("edge=leaky-bucket:3/1.5s,capacity=2,clock=1ns");
  leaky.admitted = 64969;
  leaky.refused = 4;
  leaky.never = 3;
  leaky.keys_refused = 2;
  leaky.retry_after = {1, Duration{1}, Duration{1}, Duration{1}, Duration{1}, Duration{1}, 0};
  leaky.delay = Distribution{5,
                             Duration{0},
                             Duration{333333334},
                             Duration{400000000},
                             Duration{500000000},
                             Duration{500000000},
                             0.0078125};
  leaky.longest_queue = 1;
  leaky.worst = {2, "</script>\"'\n\xff", Instant{Duration{1}}};
  leaky.memory->projected = Projection{1'000'000, "340282366920938463463374607431768211455"};
  leaky.top_keys = {{std::string(300, 'k'), 4, 2, Instant{Duration{1}}},
                    {"caf\xc3\xa9 \xe2\x80\xae | ", 3, 1, Instant{Duration{2}}},
                    {"", 1, 1, Instant{Duration{-3}}}};
  leaky.checks = {{"edge refused_ratio<=5%", "0.4444", false},
                  {"edge retry_after.max<=2s", std::nullopt, false},
                  {"delay.p99<=1s", "500", true}};
  result.policies.push_back(std::move(leaky));
  for (PolicyResult& policy : result.policies) {
    policy.memory->projected = Projection{1'000'000, "24000000"};
  }
  result.policies.front().worst = {};
  result.policies.front().retry_after = {};
  return result;
}

Result extreme_result() {
  Result result = sample_result();
  TraceFacts& trace = result.trace;
  const std::string name(120, 'n');
  trace.files.assign(3, {fmt::format("{}.log", name), kMost, "", "gzip", kMost});
  trace.format = "combined";
  trace.key = {name, name, name};
  trace.time_field = name;
  trace.cost = name;
  for (auto* count :
       {&trace.rows, &trace.keys, &trace.cost_total, &trace.out_of_order, &trace.peak_per_second}) {
    *count = kMost;
  }
  trace.bad = trace.filtered = kMost / 4;
  trace.requests = kMost - trace.bad - trace.filtered;
  trace.first = Instant::min();
  trace.last = Instant{Duration{-1}};
  trace.max_back = Duration::max();
  result.policies.clear();
  for (int i = 0; i < 12; ++i) {
    const std::string label(static_cast<std::size_t>(5 * i + 1), static_cast<char>('a' + i));
    PolicyResult policy = sample_policy(fmt::format(
        "{}=token-bucket:2147483647/7ns,capacity=2147483646,charge=attempted,clock=123456789ns",
        label));
    policy.admitted = trace.requests / 2;
    policy.refused = trace.requests - policy.admitted;
    policy.never = policy.refused;
    policy.keys_refused = kMost;
    policy.retry_after = {
        1, Duration::max(), Duration::max(), Duration::max(), Duration::max(), Duration::max(), 0};
    policy.delay = policy.retry_after;
    policy.longest_queue = kMost;
    policy.worst = {kMost, fmt::format("{0}{0}{0}", name), Instant::max()};
    policy.agreement = {kMost / 4, kMost / 4, kMost / 4};
    policy.memory = {kMost, "340282366920938463463374607431768211455",
                     "340282366920938463463374607431768211455", Instant::max(),
                     Projection{kMost, "340282366920938463463374607431768211455"}};
    policy.top_keys = {{fmt::format("{0}{0}{0}", name), kMost, kMost, Instant::max()}};
    policy.checks = {{std::string(200, 'x'), "18446744073709551615", true}};
    result.policies.push_back(std::move(policy));
  }
  result.reference = result.policies.back().label();
  return result;
}

}  // namespace ratereplay::test
