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

/// Keys of a timeline by their numbers: `first` and the `count - 1` after it.
struct KeyRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] bool holds(std::uint32_t key) const noexcept { return key - first < count; }
};

/// One policy with the state of every key, asked in time order over all keys.
class OrderedLane {
 public:
  /// Where the answer to request i of a batch goes: at i * stride.
  struct Answers {
    ToldDecision* first;
    std::size_t stride;
  };

  virtual ~OrderedLane() = default;
  /// Whether keys that do not meet in a call of decide may be decided side by side. Else decide is
  /// called with all keys, on the thread that runs everything.
  [[nodiscard]] virtual bool splits() const noexcept { return true; }
  /// What decide is going to be asked: a program can work ahead.
  virtual void announce(std::span<const Timeline::Event>) {}
  /// Answers the requests of these keys. Batches come in time order.
  virtual void decide(std::span<const Timeline::Event> batch, KeyRange keys, Answers answers) = 0;
  /// Nothing more is asked.
  virtual void finish() {}
};

/// A policy of ours, through the library's own admit.
[[nodiscard]] std::unique_ptr<OrderedLane> ordered_lane(const AnyPolicy& policy, Duration tick,
                                                        std::size_t keys);

/// Has every lane decide every request and hands the answers, in order, to `hear` (if there is one,
/// on this thread) and to the sinks. Decides and draws a batch at a time on all threads; what is
/// written does not depend on their number.
void decide_in_order(const Timeline& timeline, const std::vector<KeyPart>& key,
                     std::span<const std::unique_ptr<OrderedLane>> lanes, unsigned threads,
                     std::span<DecisionSink* const> sinks,
                     const std::function<void(const DecidedBatch&)>& hear = {});

}  // namespace ratereplay
