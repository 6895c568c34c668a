// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>

#include "policies/every_option.hpp"

/// Tables of requests and answers. Times are whatever unit `check_table` is given, the tick
/// included.
namespace testing {

inline constexpr std::int64_t kNever = -1;
inline constexpr std::int64_t kAbsent = ratereplay::kInt64Min;

struct Row {
  std::int64_t at;
  ratereplay::Cost cost;
  bool admitted;
  std::int64_t remaining;
  std::int64_t retry_after;  ///< kNever when absent
  std::int64_t reset_at;     ///< kAbsent when full
  std::int64_t full_at;
};

/// Asks one key in turn and compares every field but the delay.
template <ratereplay::Policy P>
void check_table(const P& policy, ratereplay::Duration unit, std::initializer_list<Row> rows) {
  using namespace ratereplay;
  Tracked<P> key;
  for (const Row& row : rows) {
    INFO(described(policy) << ": " << row.cost << " at " << row.at);
    Decision expected;
    if (!row.admitted)
      expected.outcome = row.retry_after == kNever ? Outcome::kNever : Outcome::kRefused;
    expected.remaining = row.remaining;
    expected.retry_after = row.retry_after * unit;
    if (row.retry_after == kNever) expected.retry_after.reset();
    if (row.reset_at != kAbsent) expected.reset_at = Instant{row.reset_at * unit};
    expected.full_at = Instant{row.full_at * unit};
    Decision got = admit(policy, key, Instant{row.at * unit}, row.cost, unit);
    got.delay = Duration{0};
    CHECK(got == expected);
  }
}

/// One request of a trace of which only the decision, and perhaps the wait, is given.
struct Step {
  std::int64_t at_ms;
  ratereplay::Cost cost;
  bool admitted;
  std::optional<std::int64_t> retry_after_ms = std::nullopt;  ///< kNever for never
};

/// Asks one key in turn, in ms with the default tick.
template <ratereplay::Policy P>
void check_steps(const P& policy, std::initializer_list<Step> steps) {
  using namespace ratereplay;
  Tracked<P> key;
  for (const Step& step : steps) {
    INFO(described(policy) << ": " << step.cost << " at " << step.at_ms << " ms");
    const Decision d =
        admit(policy, key, Instant{std::chrono::milliseconds{step.at_ms}}, step.cost);
    CHECK(d.admitted() == step.admitted);
    if (!step.retry_after_ms) continue;
    if (*step.retry_after_ms == kNever)
      CHECK_FALSE(d.retry_after.has_value());
    else
      CHECK(d.retry_after == std::chrono::milliseconds{*step.retry_after_ms});
  }
}

}  // namespace testing
