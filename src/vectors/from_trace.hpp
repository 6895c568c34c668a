// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/policy_spec.hpp"
#include "vectors/vector_file.hpp"

namespace ratereplay {

/// The requests of one key of a trace, in order.
struct TraceKey {
  struct Event {
    std::int64_t at = 0;  ///< in the unit of the vectors
    Cost cost = 1;
    std::uint64_t row = 0;  ///< from 1
  };

  std::string key;
  std::vector<Event> events;
};

/// For each behaviour that the policy shows on the trace (a refusal, an admission after one, …, and
/// a decision on which a rival differs), the key that shows it with the fewest requests, cut down
/// to those that it takes.
[[nodiscard]] std::vector<VectorCase> cases_from_trace(const PolicySpec& spec, Unit unit,
                                                       const std::vector<TraceKey>& keys);

}  // namespace ratereplay
