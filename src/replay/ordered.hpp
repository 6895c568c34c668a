// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "keys/trace_store.hpp"
#include "report/decided.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// Decides every request again in time order over all keys, through the library's own admit, and
/// hands each decision to the sinks: by instant, then file and row, then policy. The trace must
/// have been read with keep_rows and still hold its rows. Memory: each key's text for every sink
/// and state for every policy, some MiB of answers and lines, and 24 bytes a row unless the trace
/// is in order.
void replay_in_order(const TraceStore& trace, std::span<const PolicySpec> policies, Duration tick,
                     unsigned threads, std::span<DecisionSink* const> sinks);

}  // namespace ratereplay
