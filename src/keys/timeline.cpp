// SPDX-License-Identifier: Apache-2.0
#include "keys/timeline.hpp"

#include <algorithm>

namespace ratereplay {

Timeline timeline_of(const TraceStore& trace) {
  Timeline timeline;
  timeline.events.reserve(trace.facts.requests);
  timeline.keys.reserve(trace.facts.keys);
  GroupedRows grouped;
  for (const Partition& partition : trace.partitions) {
    partition.group(trace.order, grouped);
    for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
      const auto id = static_cast<std::uint32_t>(timeline.keys.size());
      timeline.keys.emplace_back(grouped.keys[key].text());
      for (std::size_t i = grouped.first[key]; i < grouped.first[key + 1]; ++i) {
        timeline.events.push_back(
            {grouped.at[i], grouped.row[i], id, grouped.cost.empty() ? Cost{1} : grouped.cost[i]});
      }
    }
  }
  std::sort(timeline.events.begin(), timeline.events.end(),
            [](const Timeline::Event& a, const Timeline::Event& b) {
              return a.at != b.at ? a.at < b.at : a.row < b.row;
            });
  return timeline;
}

}  // namespace ratereplay
