// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keys/timeline.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// What an unknown limiter decided: requests in time order, and what became of each.
struct Evidence {
  std::vector<Timeline::Event> events;
  std::vector<std::string> keys;
  std::vector<bool> admitted;                  ///< one for each event
  std::vector<std::optional<Duration>> delay;  ///< the same, or empty: not told
  Duration tick = kDefaultTick;                ///< what delays were rounded up to
};

/// How one policy of ours would have decided the same requests.
struct Match {
  std::size_t variant = 0;  ///< index into the variants
  std::uint64_t agreed = 0;
  struct Difference {
    std::size_t event = 0;
    Decision ours;
  };
  std::optional<Difference> first;  ///< absent: consistent with all of the evidence
};

/// One match for each variant: first those that are consistent with everything, then those that
/// agree most; equals as in `variants`.
[[nodiscard]] std::vector<Match> match_variants(const Evidence& evidence,
                                                std::span<const PolicySpec> variants,
                                                unsigned threads);

}  // namespace ratereplay
