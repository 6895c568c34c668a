// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/number_text.hpp"
#include "report/result.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

struct CheckMetric;

/// One `--check '[policy] metric op value'`, ready to be compared.
struct Check {
  enum class Op : std::uint8_t { kLess, kAtMost, kGreater, kAtLeast, kEqual, kNotEqual };

  std::string expression;             ///< as given
  std::optional<std::size_t> policy;  ///< index; absent = every policy
  const CheckMetric* metric = nullptr;
  Op op = Op::kAtMost;
  Wide threshold = 0;  ///< in units of 10^-decimals of the metric (ns for waits, bytes, a ratio)
  int decimals = 0;
};

/// What a metric is called and measured in.
struct CheckMetricInfo {
  std::string_view name;
  std::string_view unit;  ///< "count", "ratio", "wait" or "bytes"
};

/// Every metric that can be checked, in the order of the help.
[[nodiscard]] std::vector<CheckMetricInfo> check_metrics();

/// Error(kUsage), with the place underlined, for anything that could not be evaluated: unknown
/// metric or policy (the nearest is suggested), no operator, a value of another unit.
[[nodiscard]] std::vector<Check> parse_checks(std::span<const std::string> texts,
                                              std::span<const PolicySpec> policies);

/// Evaluates every check, in integers alone, and puts what came out into the policies' `checks`.
/// Whether all hold. A check on an undefined value fails; a wait that never ends is infinite.
bool evaluate(std::span<const Check> checks, Result& result);

}  // namespace ratereplay
