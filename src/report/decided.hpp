// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "keys/timeline.hpp"
#include "ratereplay/decision.hpp"
#include "report/text_buffer.hpp"

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

/// Requests in output order, and what every policy said to each: all of the first request in the
/// order of the policies, then all of the second.
struct DecidedBatch {
  std::span<const Timeline::Event> requests;
  std::span<const ToldDecision> answers;
};

/// An output that lists decisions. Text is made by any number of threads and written by one.
class DecisionSink {
 public:
  virtual ~DecisionSink() = default;
  /// The next key, in the order of Timeline::keys(), as outputs show it. All come before the rest.
  virtual void add_key(std::string_view shown) = 0;
  /// Appends the lines of a batch.
  virtual void draw(const DecidedBatch& batch, TextBuffer& text) const = 0;
  /// Takes what was drawn, in output order.
  virtual void write(std::string_view text) = 0;
};

}  // namespace ratereplay
