// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "identify/evidence.hpp"
#include "vectors/decider.hpp"

namespace ratereplay {

struct Question {
  std::vector<Limit> limits;             ///< at least one; exactly one to put questions with
  std::optional<std::int64_t> capacity;  ///< of buckets; absent = found out, or the limit
  std::vector<Duration> clocks;
  bool unit_costs = false;  ///< ask only for requests of cost 1
  unsigned threads = 1;
};

/// What an unknown limiter may be.
struct Identification {
  Evidence evidence;
  std::vector<PolicySpec> variants;
  std::vector<Match> matches;  ///< see match_variants

  [[nodiscard]] std::size_t consistent() const noexcept;
};

/// Asks the limiter, which has been opened with `unit`, at most kMostProbes times: first for its
/// capacity, then what tells the variants apart. Error(kUsage) when the window is no whole number
/// of units or so long that the probes pass the end of time, or a request cannot pass the limit.
[[nodiscard]] Identification identify(Decider& limiter, Unit unit, const Question& question);

/// Looks for the limiter that decided `evidence`.
[[nodiscard]] Identification identify(Evidence evidence, const Question& question);

/// Decisions that an identification asks for at most.
inline constexpr std::size_t kMostProbes = 200;

}  // namespace ratereplay
