// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "spec/policy_spec.hpp"

namespace ratereplay {

/// What a run replays, in the order given.
struct RunPolicies {
  std::vector<PolicySpec> specs;
  std::size_t reference = 0;  ///< the one that the others are compared with
};

/// The policies and drivers of -p and --policies, of which `reference` names one; empty = the first
/// sliding log, else the first policy of ours. A driver is told the reference, or where that is a
/// driver itself the policy that would be it else. Error(kUsage).
[[nodiscard]] RunPolicies run_policies(const std::vector<std::string>& given,
                                       const std::string& file, const std::string& reference);

/// The policies of a run that is given none.
[[nodiscard]] std::string default_policies();

}  // namespace ratereplay
