// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "keys/shown_key.hpp"
#include "keys/timeline.hpp"
#include "replay/ordered_lane.hpp"

namespace ratereplay {
namespace {

template <Policy P>
class OrderedLaneOf final : public OrderedLane {
 public:
  OrderedLaneOf(const P& policy, Duration tick, std::size_t keys)
      : policy_(policy), tick_(tick), keys_(keys) {}

  ToldDecision decide(const Timeline::Event& event) override {
    return {admit(policy_, keys_[event.key], Instant{Duration{event.at}}, event.cost, tick_)};
  }

 private:
  P policy_;
  Duration tick_;
  std::vector<Tracked<P>> keys_;
};

}  // namespace

std::unique_ptr<OrderedLane> ordered_lane(const AnyPolicy& policy, Duration tick,
                                          std::size_t keys) {
  return std::visit(
      [&]<class P>(const P& made) -> std::unique_ptr<OrderedLane> {
        return std::make_unique<OrderedLaneOf<P>>(made, tick, keys);
      },
      policy);
}

DecisionRows::DecisionRows(const Timeline& timeline, const std::vector<KeyPart>& key,
                           DecisionSink& sink)
    : sink_(sink) {
  keys_.reserve(timeline.keys().size());
  for (const std::string& held : timeline.keys()) keys_.push_back(shown_key(held, key));
  rows_.reserve(kRowsPerWrite);
}

void DecisionRows::write() {
  sink_.write(rows_);
  rows_.clear();
}

void DecisionRows::finish() {
  write();
  sink_.finish();
}

void replay_in_order(const TraceStore& trace, std::span<const PolicySpec> policies, Duration tick,
                     DecisionSink& sink) {
  const Timeline timeline(trace);
  std::vector<std::unique_ptr<OrderedLane>> lanes;
  for (const PolicySpec& spec : policies) {
    lanes.push_back(ordered_lane(spec.policy, tick, timeline.keys().size()));
  }
  DecisionRows rows(timeline, trace.key, sink);
  decide_in_order(timeline, lanes,
                  [&](const Timeline::Event& event, std::size_t lane,
                      const ToldDecision& decision) { rows.add(event, lane, decision); });
  rows.finish();
}

}  // namespace ratereplay
