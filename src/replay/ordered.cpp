// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "interrupt.hpp"
#include "keys/shown_key.hpp"
#include "keys/timeline.hpp"
#include "replay/threaded_sink.hpp"

namespace ratereplay {
namespace {

/// One configuration with the state of every key.
class OrderedLane {
 public:
  virtual ~OrderedLane() = default;
  virtual Decision decide(const Timeline::Event& event) = 0;
};

template <Policy P>
class OrderedLaneOf final : public OrderedLane {
 public:
  OrderedLaneOf(const P& policy, Duration tick, std::size_t keys)
      : policy_(policy), tick_(tick), keys_(keys) {}

  Decision decide(const Timeline::Event& event) override {
    return admit(policy_, keys_[event.key], Instant{Duration{event.at}}, event.cost, tick_);
  }

 private:
  P policy_;
  Duration tick_;
  std::vector<Tracked<P>> keys_;
};

}  // namespace

void replay_in_order(const TraceStore& trace, std::span<const PolicySpec> policies, Duration tick,
                     DecisionSink& sink) {
  constexpr std::size_t kRowsPerWrite = 4096;
  const Timeline timeline(trace);
  std::vector<std::string> keys;
  keys.reserve(timeline.keys().size());
  for (const std::string& key : timeline.keys()) keys.push_back(shown_key(key, trace.key));
  std::vector<std::unique_ptr<OrderedLane>> lanes;
  for (const PolicySpec& spec : policies) {
    lanes.push_back(std::visit(
        [&]<class P>(const P& policy) -> std::unique_ptr<OrderedLane> {
          return std::make_unique<OrderedLaneOf<P>>(policy, tick, timeline.keys().size());
        },
        spec.policy));
  }
  ThreadedSink threaded(sink);
  std::vector<DecisionRow> rows;
  rows.reserve(kRowsPerWrite + lanes.size());
  timeline.for_each([&](const Timeline::Event& event) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      rows.push_back({event.row + 1, Instant{Duration{event.at}}, keys[event.key], event.cost, lane,
                      lanes[lane]->decide(event)});
    }
    if (rows.size() >= kRowsPerWrite) {
      stop_if_interrupted();
      threaded.write(rows);
      rows.clear();
    }
  });
  threaded.write(rows);
  threaded.finish();
}

}  // namespace ratereplay
