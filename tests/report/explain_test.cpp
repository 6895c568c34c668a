// SPDX-License-Identifier: Apache-2.0
#include "report/explain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generate/random.hpp"
#include "ratereplay/policy.hpp"
#include "spec/option_text.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {
namespace {

struct Admission {
  std::int64_t at;
  std::int64_t units;
};

/// The most units in any (t - window, t]; admissions are in order of time.
std::int64_t worst_of(const std::vector<Admission>& admissions, std::int64_t window) {
  std::int64_t worst = 0;
  std::int64_t units = 0;
  std::size_t first = 0;
  for (const Admission& last : admissions) {
    units += last.units;
    while (admissions[first].at <= last.at - window) units -= admissions[first++].units;
    worst = std::max(worst, units);
  }
  return worst;
}

/// The worst window over random traces: a request at some instants of a short stretch of time, of
/// small cost or the largest that fits.
template <Policy P>
std::int64_t worst_seen(const P& policy, int traces) {
  const std::int64_t window = policy.limit().window.count();
  Random random(static_cast<std::uint32_t>(window * 31 + policy.limit().count));
  std::int64_t worst = 0;
  for (int trace = 0; trace < traces; ++trace) {
    Tracked<P> key;
    std::vector<Admission> admissions;
    const std::uint64_t quiet = 1 + random.below(4);  // one instant in so many has a request
    const auto start = static_cast<std::int64_t>(random.below(7)) - 3;
    for (std::int64_t at = start; at < start + 5 * window + 3; ++at) {
      if (random.below(quiet) != 0) continue;
      const Instant now{Duration{at}};
      const auto room = static_cast<std::uint32_t>(policy.standing(key.state, now).remaining);
      const auto cost = static_cast<Cost>(random.below(2) == 0 ? 1 + random.below(2) : room);
      if (admit(policy, key, now, cost).admitted()) admissions.push_back({at, cost});
    }
    worst = std::max(worst, worst_of(admissions, window));
  }
  return worst;
}

std::int64_t worst_seen(std::string_view text, int traces) {
  const AnyPolicy policy = parse_policy(text, "test").policy;
  return std::visit([&](const auto& made) { return worst_seen(made, traces); }, policy);
}

std::int64_t bound(std::string_view text) {
  return static_cast<std::int64_t>(worst_window_bound(parse_policy(text, "test").policy));
}

/// Every combination of option values that `name` takes, with capacities 1 to 4 and clocks.
void combine(std::string_view name, std::span<const Option> options, Options made,
             std::vector<Options>& out) {
  if (options.empty()) {
    const bool impossible = name == "fixed-window" && made.boundary == Boundary::kClosed &&
                            made.anchor != Anchor::kFirst;
    if (!impossible) out.push_back(made);
    return;
  }
  const Option option = options.front();
  const auto rest = options.subspan(1);
  for (std::size_t i = 0; i < option_words(option).size(); ++i) {
    set_word(made, option, i);
    combine(name, rest, made, out);
  }
  if (option == Option::kCapacity) {
    for (const std::int64_t capacity : {1, 2, 4}) {
      made.capacity = capacity;
      combine(name, rest, made, out);
    }
  }
  if (option == Option::kClock) {
    for (const std::int64_t clock : {1, 2, 3, 5, 9}) {
      made.clock.reset();
      if (clock > 1) made.clock = Duration{clock};
      combine(name, rest, made, out);
    }
  }
}

}  // namespace

TEST_CASE("explain: no trace admits more in a window than the bound says") {
  for_each_policy([]<Policy P>() {
    std::vector<Options> all;
    combine(P::kName, P::kOptions, {}, all);
    for (const Options& options : all) {
      for (const std::int64_t count : {1, 2, 3, 5}) {
        for (const std::int64_t window : {1, 2, 3, 4, 6}) {
          const P policy(Limit{count, Duration{window}}, options);
          const std::int64_t seen = worst_seen(policy, 40);
          const auto most = static_cast<std::int64_t>(worst_window_bound(policy));
          if (seen <= most) continue;
          CAPTURE(canonical_text(policy));
          CHECK(seen <= most);
        }
      }
    }
  });
}

TEST_CASE("explain: the bounds are reached") {
  struct Row {
    std::string_view policy;
    std::int64_t bound;
  };
  // W = 10 ns, or 4 with a clock, so that random traces find the worst.
  constexpr Row kRows[] = {
      {"fixed-window:3/10ns", 6},                               // 2L
      {"fixed-window:3/10ns,anchor=first", 5},                  // 2L - 1: one unit opens the first
      {"fixed-window:3/10ns,anchor=first,boundary=closed", 5},  // the same
      {"fixed-window:3/1ns", 3},                                // one instant
      {"sliding-log:3/10ns", 3},                                // L
      {"sliding-log:3/10ns,boundary=closed", 3},
      {"sliding-log:3/4ns,clock=4ns", 6},  // the last instant of one step, the first of the next
      {"sliding-counter:2/10ns", 4},       // floor: 2L
      {"sliding-counter:2/10ns,round=exact", 3},  // 2L - 1
      {"sliding-counter:2/10ns,round=ceil", 3},
      {"gcra:2/10ns,capacity=3", 4},          // B + L - 1: 9 ns apart at most, floor(9 * 2/10) = 1
      {"token-bucket:2/10ns,capacity=3", 4},  // as gcra
      {"token-bucket:2/10ns,capacity=3,refill=interval", 5},  // B + min(B, L)
      {"leaky-bucket:2/10ns,capacity=1", 2},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.policy);
    CHECK(bound(row.policy) == row.bound);
    CHECK(worst_seen(row.policy, 20'000) == row.bound);
  }
}

TEST_CASE("explain: bounds and sizes beyond 64 bits keep every digit") {
  const PolicySpec spec = parse_policy("fixed-window:9223372036854775807/1s", "test");
  const Explanation made = explain(spec, 1);
  CHECK(made.worst_window == "18446744073709551614");
  const PolicySpec log = parse_policy("sliding-log:1000000000000000000/1s", "test");
  CHECK(explain(log, 1'000'000).total_bytes == "8000000000000000000000000");
}

TEST_CASE("explain: the sentences of a bucket") {
  CHECK(explanation_text(explain(parse_policy("api=gcra:10/1s,capacity=21", "test"), 1'000'000)) ==
        "name          api\n"
        "canonical     gcra:10/1s,capacity=21\n"
        "at once       21 units for a fresh key; a request that costs more is never admitted\n"
        "sustained     10 units every 1s: one every 100ms\n"
        "worst window  at most 30 units admitted for a key in any (t - 1s, t]\n"
        "refused       not charged: the state stays as it is\n"
        "retryAfter    until the missing units have been earned, rounded up to the run's tick\n"
        "remaining     the largest cost that would be admitted now, rounded down\n"
        "memory        8 bytes a key: the theoretical arrival time\n"
        "              8 MB (8,000,000 bytes) for 1,000,000 keys\n");
}

TEST_CASE("explain: the memory of the log against three integers") {
  const auto memory = [](std::string_view text) {
    return explain(parse_policy(text, "test"), 1'000'000).total_bytes;
  };
  CHECK(memory("sliding-log:100/1s") == "800000000");     // 800 MB
  CHECK(memory("sliding-counter:100/1s") == "24000000");  // 24 MB
}

TEST_CASE("explain: every policy and value is explained within 100 columns") {
  for_each_policy([]<Policy P>() {
    std::vector<Options> all;
    combine(P::kName, P::kOptions, {}, all);
    for (const Options& options : all) {
      const P policy(Limit{3, std::chrono::seconds{1}}, options);
      const PolicySpec spec{"", canonical_text(policy), policy};
      const std::string text = explanation_text(explain(spec, 1'000'000'000));
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        CHECK(end - at <= 100);
        at = end + 1;
      }
    }
  });
}

TEST_CASE("policy list: every policy of the list with its options and bytes") {
  const auto list = policy_summaries();
  REQUIRE(list.size() == kPolicyNames.size());
  CHECK(list[1].name == "sliding-log");
  CHECK(list[1].bytes_per_key == "8 x limit");
  CHECK(list[2].bytes_per_key == "24");
  CHECK(list[2].options[0].values == "floor|exact|nearest|ceil");
}

}  // namespace ratereplay
