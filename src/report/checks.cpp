// SPDX-License-Identifier: Apache-2.0
#include "report/checks.hpp"

#include <algorithm>
#include <array>
#include <compare>

namespace ratereplay {
namespace {

constexpr int kLeastDecimals = 4;
constexpr int kMostDecimals = 18;

using Trace = TraceFacts;
using Outcomes = PolicyResult;

Measured measured(Digits value) { return {Measured::Kind::kValue, value, 1}; }

Measured measured(Ratio ratio) {
  if (ratio.whole == 0) return {};
  return {Measured::Kind::kValue, ratio.part, ratio.whole};
}

Measured measured(const std::string& digits) {
  const std::optional<Digits> value = parse_digits(digits);
  return value ? measured(*value) : Measured{};
}

Measured measured(const std::optional<Duration>& wait) {
  if (!wait) return {Measured::Kind::kNever};
  return measured(static_cast<Digits>(wait->count()));
}

Measured memory(const Outcomes& policy, std::string MemoryUse::*digits) {
  return policy.memory ? measured((*policy.memory).*digits) : Measured{};
}

/// A quantile of the waits of all refusals. A program need not tell them.
Measured wait(const Outcomes& policy, Duration finite, const std::optional<Duration>& or_never) {
  const bool all_told = policy.retry_after.count + policy.never == policy.refused;
  if (policy.refused == 0 || (!policy.driver.empty() && !all_told)) return {};
  return policy.never == 0 ? measured(std::optional(finite)) : measured(or_never);
}

constexpr std::array kMetrics{
    CheckMetric{
        "requests", CheckUnit::kCount,
        [](const Trace& trace, const Outcomes&) { return measured(Digits{trace.requests}); }},
    CheckMetric{"admitted", CheckUnit::kCount,
                [](const Trace&, const Outcomes& p) { return measured(Digits{p.admitted}); }},
    CheckMetric{"refused", CheckUnit::kCount,
                [](const Trace&, const Outcomes& p) { return measured(Digits{p.refused}); }},
    CheckMetric{"refused_ratio", CheckUnit::kRatio,
                [](const Trace&, const Outcomes& p) {
                  return measured(Ratio{p.refused, p.admitted + p.refused});
                }},
    CheckMetric{"keys_refused", CheckUnit::kCount,
                [](const Trace&, const Outcomes& p) { return measured(Digits{p.keys_refused}); }},
    CheckMetric{"keys_refused_ratio", CheckUnit::kRatio,
                [](const Trace& trace, const Outcomes& p) {
                  return measured(Ratio{p.keys_refused, trace.keys});
                }},
    CheckMetric{"max_admitted", CheckUnit::kCount,
                [](const Trace&, const Outcomes& p) { return measured(Digits{p.worst.admitted}); }},
    CheckMetric{"retry_after.p50", CheckUnit::kWait,
                [](const Trace&, const Outcomes& p) {
                  return wait(p, p.retry_after.p50, p.retry_or_never.p50);
                }},
    CheckMetric{"retry_after.p90", CheckUnit::kWait,
                [](const Trace&, const Outcomes& p) {
                  return wait(p, p.retry_after.p90, p.retry_or_never.p90);
                }},
    CheckMetric{"retry_after.p99", CheckUnit::kWait,
                [](const Trace&, const Outcomes& p) {
                  return wait(p, p.retry_after.p99, p.retry_or_never.p99);
                }},
    CheckMetric{
        "retry_after.max", CheckUnit::kWait,
        [](const Trace&, const Outcomes& p) { return wait(p, p.retry_after.max, std::nullopt); }},
    CheckMetric{"delay.p99", CheckUnit::kWait,
                [](const Trace&, const Outcomes& p) {
                  if (!p.delay || p.delay->count == 0) return Measured{};
                  return measured(std::optional(p.delay->p99));
                }},
    CheckMetric{
        "reserved_bytes", CheckUnit::kBytes,
        [](const Trace&, const Outcomes& p) { return memory(p, &MemoryUse::reserved_bytes); }},
    CheckMetric{
        "live_bytes", CheckUnit::kBytes,
        [](const Trace&, const Outcomes& p) { return memory(p, &MemoryUse::live_peak_bytes); }},
    CheckMetric{
        "agreement", CheckUnit::kRatio, [](const Trace&, const Outcomes& p) {
          const Agreement& counts = p.agreement;
          return measured(Ratio{counts.agree, counts.agree + counts.looser + counts.stricter});
        }}};

Digits power_of_10(int exponent) {
  Digits power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// part / whole against threshold / 10^decimals. Whole parts first, so that no product passes 128
/// bits: whole < 2^64 and 10^18 < 2^60.
std::strong_ordering compare(Digits part, Digits whole, const Check& check) {
  const Digits scale = power_of_10(check.decimals);
  const Digits floor = check.threshold / scale;
  if (part / whole != floor) {
    return part / whole < floor ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const Digits left = part % whole * scale;
  const Digits right = check.threshold % scale * whole;
  if (left == right) return std::strong_ordering::equal;
  return left < right ? std::strong_ordering::less : std::strong_ordering::greater;
}

bool holds(Check::Op op, std::strong_ordering order) {
  switch (op) {
    case Check::Op::kLess:
      return order < 0;
    case Check::Op::kAtMost:
      return order <= 0;
    case Check::Op::kGreater:
      return order > 0;
    case Check::Op::kAtLeast:
      return order >= 0;
    case Check::Op::kEqual:
      return order == 0;
    case Check::Op::kNotEqual:
      return order != 0;
  }
  return false;
}

/// The ratio with as many decimals as it takes to stand on the true side of the threshold.
std::string telling_ratio_text(const Measured& value, const Check& check) {
  const auto exact = compare(value.part, value.whole, check);
  const Ratio ratio{static_cast<std::uint64_t>(value.part), value.whole};
  for (int decimals = kLeastDecimals;; ++decimals) {
    std::string text = *ratio_text(ratio, decimals);
    std::string digits = text;
    std::erase(digits, '.');
    if (decimals == kMostDecimals ||
        compare(*parse_digits(digits), power_of_10(decimals), check) == exact) {
      return text;
    }
  }
}

std::string value_text(const Measured& value, const Check& check) {
  switch (check.metric->unit) {
    case CheckUnit::kRatio:
      return telling_ratio_text(value, check);
    case CheckUnit::kWait:
      return ms_text(Duration{static_cast<std::int64_t>(value.part)});
    case CheckUnit::kCount:
    case CheckUnit::kBytes:
      break;
  }
  return count_text(value.part);
}

CheckResult checked(const Check& check, const Trace& trace, const Outcomes& policy) {
  const Measured value = check.metric->measure(trace, policy);
  switch (value.kind) {
    case Measured::Kind::kUndefined:
      break;
    case Measured::Kind::kNever:
      return {check.expression, std::nullopt, holds(check.op, std::strong_ordering::greater)};
    case Measured::Kind::kValue:
      return {check.expression, value_text(value, check),
              holds(check.op, compare(value.part, value.whole, check))};
  }
  return {check.expression, std::nullopt, false};
}

}  // namespace

std::span<const CheckMetric> check_metrics() { return kMetrics; }

bool evaluate(std::span<const Check> checks, Result& result) {
  bool all = true;
  for (const Check& check : checks) {
    for (std::size_t i = 0; i < result.policies.size(); ++i) {
      if (check.policy && *check.policy != i) continue;
      PolicyResult& policy = result.policies[i];
      policy.checks.push_back(checked(check, result.trace, policy));
      all &= policy.checks.back().passed;
    }
  }
  return all;
}

}  // namespace ratereplay
