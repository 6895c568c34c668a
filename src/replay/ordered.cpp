// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "interrupt.hpp"
#include "keys/shown_key.hpp"

namespace ratereplay {
namespace {

struct Event {
  std::int64_t at;
  std::uint64_t row;
  std::uint32_t key;  ///< over all partitions
  Cost cost;
};

/// One configuration with the state of every key.
class OrderedLane {
 public:
  virtual ~OrderedLane() = default;
  virtual Decision decide(const Event& event) = 0;
};

template <Policy P>
class OrderedLaneOf final : public OrderedLane {
 public:
  OrderedLaneOf(const P& policy, Duration tick, std::size_t keys)
      : policy_(policy), tick_(tick), keys_(keys) {}

  Decision decide(const Event& event) override {
    return admit(policy_, keys_[event.key], Instant{Duration{event.at}}, event.cost, tick_);
  }

 private:
  P policy_;
  Duration tick_;
  std::vector<Tracked<P>> keys_;
};

struct Timeline {
  std::vector<Event> events;
  std::vector<std::string> keys;  ///< as shown
};

Timeline gather(const TraceStore& trace) {
  Timeline timeline;
  timeline.events.reserve(trace.facts.requests);
  timeline.keys.reserve(trace.facts.keys);
  GroupedRows grouped;
  for (const Partition& partition : trace.partitions) {
    partition.group(trace.order, grouped);
    for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
      const auto id = static_cast<std::uint32_t>(timeline.keys.size());
      timeline.keys.push_back(shown_key(grouped.keys[key].text(), trace.key));
      for (std::size_t i = grouped.first[key]; i < grouped.first[key + 1]; ++i) {
        timeline.events.push_back(
            {grouped.at[i], grouped.row[i], id, grouped.cost.empty() ? Cost{1} : grouped.cost[i]});
      }
    }
  }
  std::sort(timeline.events.begin(), timeline.events.end(), [](const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.row < b.row;
  });
  return timeline;
}

}  // namespace

void replay_in_order(const TraceStore& trace, std::span<const PolicySpec> policies, Duration tick,
                     DecisionSink& sink) {
  constexpr std::size_t kRowsPerWrite = 4096;
  const Timeline timeline = gather(trace);
  std::vector<std::unique_ptr<OrderedLane>> lanes;
  for (const PolicySpec& spec : policies) {
    lanes.push_back(std::visit(
        [&]<class P>(const P& policy) -> std::unique_ptr<OrderedLane> {
          return std::make_unique<OrderedLaneOf<P>>(policy, tick, timeline.keys.size());
        },
        spec.policy));
  }
  std::vector<DecisionRow> rows;
  rows.reserve(kRowsPerWrite + lanes.size());
  for (const Event& event : timeline.events) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      rows.push_back({event.row + 1, Instant{Duration{event.at}}, timeline.keys[event.key],
                      event.cost, lane, lanes[lane]->decide(event)});
    }
    if (rows.size() >= kRowsPerWrite) {
      stop_if_interrupted();
      sink.write(rows);
      rows.clear();
    }
  }
  sink.write(rows);
}

}  // namespace ratereplay
