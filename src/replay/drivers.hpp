// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "keys/trace_store.hpp"
#include "replay/engine.hpp"
#include "report/decided.hpp"
#include "report/result.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// Whether a program decides in the place of some policy.
[[nodiscard]] bool any_driver(std::span<const PolicySpec> policies);

/// Puts every request, in time order over all keys, to the programs among the policies, each
/// opened once with the policy that it is told. Sets their results, and the agreement of all
/// policies where the reference is a program; `results` are those of `replay`, in which a program
/// has the result of the policy that it is told. Every decision of all policies goes to the
/// sinks. The trace as for replay_in_order. Error(kInput) when a program fails.
void replay_drivers(const TraceStore& trace, std::span<const PolicySpec> policies,
                    const ReplayOptions& options, std::vector<PolicyResult>& results,
                    std::span<DecisionSink* const> sinks);

}  // namespace ratereplay
