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

/// A measured value: part / whole of its unit, or why there is none.
struct Measured {
  enum class Kind : std::uint8_t { kUndefined, kNever, kValue };

  Kind kind = Kind::kUndefined;
  Digits part = 0;
  std::uint64_t whole = 1;
};

enum class CheckUnit : std::uint8_t { kCount, kRatio, kWait, kBytes };

/// Something that can be checked.
struct CheckMetric {
  std::string_view name;
  CheckUnit unit;
  Measured (*measure)(const TraceFacts& trace, const PolicyResult& policy);
};

/// The only list of metrics, in the order of the help.
[[nodiscard]] std::span<const CheckMetric> check_metrics();

/// One `--check '[policy] metric op value'`, ready to be compared.
struct Check {
  enum class Op : std::uint8_t { kLess, kAtMost, kGreater, kAtLeast, kEqual, kNotEqual };

  std::string expression;             ///< as given
  std::optional<std::size_t> policy;  ///< index; absent = every policy
  const CheckMetric* metric = nullptr;
  Op op = Op::kAtMost;
  Digits threshold = 0;  ///< requests or units, a ratio, ns or bytes, times 10^decimals
  int decimals = 0;      ///< 0 to 18
};

/// Error(kUsage), with the place underlined, for anything that could not be evaluated: unknown
/// metric or policy (the nearest is suggested), no operator, a value of another unit.
[[nodiscard]] std::vector<Check> parse_checks(std::span<const std::string> texts,
                                              std::span<const PolicySpec> policies);

/// Evaluates every check, in integers alone, and puts what came out into the policies' `checks`.
/// Whether all hold. A check on an undefined value fails; a wait that never ends is infinite.
bool evaluate(std::span<const Check> checks, Result& result);

}  // namespace ratereplay
