// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/result.hpp"

namespace ratereplay {

/// What `inspect` found out about a trace.
struct Inspection {
  struct Candidate {
    std::string field;  ///< what -k takes
    std::uint64_t distinct = 0;
    std::uint64_t rows = 0;  ///< among so many rows of the sample
    bool chosen = false;
  };

  TraceFacts trace;
  std::optional<std::uint64_t> sampled_bytes;  ///< of text; absent when all of it was read
  std::vector<Candidate> candidates;           ///< fields that could be the key
  std::string run;                             ///< the command that replays it, all guesses pinned
};

[[nodiscard]] std::string inspection_table(const Inspection& inspection);

/// The `trace` object of the JSON result, with `candidates` and `run`.
[[nodiscard]] std::string inspection_json(const Inspection& inspection);

}  // namespace ratereplay
