// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ratereplay/decision.hpp"

namespace ratereplay {

/// The fields of a decision that are not known: a program behind a driver need not tell them.
struct Untold {
  bool remaining = false;
  bool retry_after = false;
  bool reset_at = false;
  bool full_at = false;
  bool delay = false;

  [[nodiscard]] constexpr bool any() const noexcept {
    return remaining || retry_after || reset_at || full_at || delay;
  }
};

struct ToldDecision {
  Decision decision;
  Untold untold{};
};

/// One line of the decisions outputs: a request and what one policy said.
struct DecisionRow {
  std::uint64_t row = 0;  ///< from 1 over all files
  Instant at{};
  std::string_view key;  ///< shown form
  Cost cost = 1;
  std::size_t policy = 0;  ///< index in the order given
  Decision decision;
  Untold untold{};
};

/// Takes decisions in output order, in batches.
class DecisionSink {
 public:
  virtual ~DecisionSink() = default;
  virtual void write(std::span<const DecisionRow> rows) = 0;
};

}  // namespace ratereplay
