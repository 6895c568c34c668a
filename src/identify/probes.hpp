// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ratereplay/limit.hpp"
#include "spec/policy_spec.hpp"
#include "vectors/decider.hpp"

namespace ratereplay {

/// What probes are made for. The window is a whole number of units.
struct ProbePlan {
  Limit limit;
  std::int64_t capacity = 0;
  Unit unit = kMilliseconds;
  bool unit_costs = false;  ///< every request costs 1
  std::int64_t start = 0;   ///< no probe is earlier
  std::size_t most = 0;     ///< requests
};

/// Requests, each case on a key of its own, that tell the variants apart: those that separate the
/// most pairs for each request come first, then others that separate them all again, so that a
/// limiter that is none of the variants shows. Two variants that they leave together decide alike
/// in thousands of cases. Time goes on from case to case. Deterministic.
/// Error(kUsage) when there is not enough time for them.
[[nodiscard]] std::vector<Request> probes_for(std::span<const PolicySpec> variants,
                                              const ProbePlan& plan);

}  // namespace ratereplay
