// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ratereplay/limit.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// Every policy that the options make of a limit, in canonical order: the plainest of those that
/// decide alike comes first. Buckets once for each capacity; all once without a clock and once for
/// each of `clocks`.
[[nodiscard]] std::vector<PolicySpec> variants_of(const Limit& limit,
                                                  std::span<const std::int64_t> capacities,
                                                  std::span<const Duration> clocks);

}  // namespace ratereplay
