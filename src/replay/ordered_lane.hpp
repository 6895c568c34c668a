// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "keys/timeline.hpp"
#include "report/decided.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// One policy with the state of every key, asked in time order of each key.
class OrderedLane {
 public:
  /// Where the answer to request i of a batch goes: at i * stride.
  struct Answers {
    PackedDecision* first;
    std::size_t stride;
  };

  virtual ~OrderedLane() = default;
  /// Whether requests of other keys may be decided side by side and in any order. Else decide is
  /// called with all requests of a small batch, on the thread that runs everything.
  [[nodiscard]] virtual bool splits() const noexcept { return true; }
  /// What decide is going to be asked: a program can work ahead.
  virtual void announce(std::span<const Timeline::Event>) {}
  /// Answers those requests of a batch that stand at `places`, in that order. Batches come in time
  /// order. An answer is good until the next batch.
  virtual void decide(std::span<const Timeline::Event> batch, std::span<const std::uint32_t> places,
                      Answers answers) = 0;
  /// Nothing more is asked.
  virtual void finish() {}
};

/// A policy of ours, through the library's own admit.
[[nodiscard]] std::unique_ptr<OrderedLane> ordered_lane(const AnyPolicy& policy, Duration tick,
                                                        std::size_t keys);

/// Memory for the answers that are held at a time.
inline constexpr std::size_t kAnswerBytes = std::size_t{4} << 20;

/// Has every lane decide every request and hands the answers, in order, to `hear` (if there is one,
/// on this thread) and to the sinks. Goes segment by segment: as many requests as `answer_bytes`
/// have room for the answers to, and at least one. Decides and draws on all threads; what is
/// written depends neither on their number nor on the segments.
void decide_in_order(const Timeline& timeline, const std::vector<KeyPart>& key,
                     std::span<const std::unique_ptr<OrderedLane>> lanes, unsigned threads,
                     std::span<DecisionSink* const> sinks,
                     const std::function<void(const DecidedBatch&)>& hear = {},
                     std::size_t answer_bytes = kAnswerBytes);

}  // namespace ratereplay
