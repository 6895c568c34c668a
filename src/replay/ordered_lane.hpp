// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interrupt.hpp"
#include "keys/timeline.hpp"
#include "replay/threaded_sink.hpp"
#include "report/decision_row.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// One policy with the state of every key, asked in time order over all keys.
class OrderedLane {
 public:
  virtual ~OrderedLane() = default;
  /// What decide is going to be asked, in this order: a program can work ahead.
  virtual void announce(std::span<const Timeline::Event>) {}
  virtual ToldDecision decide(const Timeline::Event& event) = 0;
  /// Nothing more is asked.
  virtual void finish() {}
};

/// A policy of ours, through the library's own admit.
[[nodiscard]] std::unique_ptr<OrderedLane> ordered_lane(const AnyPolicy& policy, Duration tick,
                                                        std::size_t keys);

/// Has every lane decide every request; `take(event, lane, decision)` gets the answers.
template <class Take>
void decide_in_order(const Timeline& timeline, std::span<const std::unique_ptr<OrderedLane>> lanes,
                     const Take& take) {
  constexpr std::size_t kBatch = 512;
  std::vector<Timeline::Event> batch;
  const auto decide = [&] {
    stop_if_interrupted();
    for (const auto& lane : lanes) lane->announce(batch);
    for (const Timeline::Event& event : batch) {
      for (std::size_t i = 0; i < lanes.size(); ++i) take(event, i, lanes[i]->decide(event));
    }
    batch.clear();
  };
  timeline.for_each([&](const Timeline::Event& event) {
    batch.push_back(event);
    if (batch.size() == kBatch) decide();
  });
  decide();
  for (const auto& lane : lanes) lane->finish();
}

/// Makes the rows of a sink out of decisions, batch by batch.
class DecisionRows {
 public:
  /// All of them must outlive it.
  DecisionRows(const Timeline& timeline, const std::vector<KeyPart>& key, DecisionSink& sink);

  void add(const Timeline::Event& event, std::size_t policy, const ToldDecision& decision) {
    rows_.push_back({event.row + 1, Instant{Duration{event.at}}, keys_[event.key], event.cost,
                     policy, decision.decision, decision.untold});
    if (rows_.size() >= kRowsPerWrite) write();
  }
  /// Waits until all is written.
  void finish();

 private:
  static constexpr std::size_t kRowsPerWrite = 4096;

  void write();

  std::vector<std::string> keys_;  ///< that rows refer to also while they wait to be written
  std::vector<DecisionRow> rows_;
  ThreadedSink sink_;
};

}  // namespace ratereplay
