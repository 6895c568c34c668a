// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "keys/trace_store.hpp"
#include "report/decision_row.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// Decides every request again in time order over all keys, through the library's own admit, and
/// hands each decision to `sink`: by instant, then file and row, then policy. The trace must have
/// been read with keep_rows and still hold its rows. Memory: some 40 bytes a row, and each key's
/// state for every policy.
void replay_in_order(const TraceStore& trace, std::span<const PolicySpec> policies, Duration tick,
                     DecisionSink& sink);

}  // namespace ratereplay
