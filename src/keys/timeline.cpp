// SPDX-License-Identifier: Apache-2.0
#include "keys/timeline.hpp"

#include <algorithm>
#include <span>

namespace ratereplay {
namespace {

constexpr std::size_t kEventsPerRead = 4096;

}  // namespace

Timeline::Timeline(const TraceStore& trace) : file_(trace.spill) {
  const std::uint64_t room =
      file_ ? std::max<std::uint64_t>(trace.row_memory / sizeof(Event), 1) : trace.facts.requests;
  events_.reserve(std::min(room, trace.facts.requests));
  keys_.reserve(trace.facts.keys);
  GroupedRows grouped;
  for (const Partition& partition : trace.partitions) {
    partition.group(trace.order, grouped);
    for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
      const auto id = static_cast<std::uint32_t>(keys_.size());
      keys_.emplace_back(grouped.keys[key].text());
      for (std::size_t i = grouped.first[key]; i < grouped.first[key + 1]; ++i) {
        if (events_.size() == room) end_run();
        events_.push_back(
            {grouped.at[i], grouped.row[i], id, grouped.cost.empty() ? Cost{1} : grouped.cost[i]});
      }
    }
  }
  if (runs_.empty()) {
    sort(trace.facts);
  } else if (!events_.empty()) {
    end_run();
  }
}

void Timeline::sort(const TraceFacts& facts) {
  // Most traces are in order already: then an event belongs where its row says.
  const bool by_row = facts.files.size() == 1 && facts.out_of_order == 0 &&
                      facts.subsecond == "keep" && facts.rows == facts.requests;
  if (!by_row) {
    std::sort(events_.begin(), events_.end());
    return;
  }
  std::vector<Event> sorted(events_.size());
  for (const Event& event : events_) sorted[event.row] = event;
  events_.swap(sorted);
}

void Timeline::end_run() {
  std::sort(events_.begin(), events_.end());
  const std::span<const std::byte> bytes = std::as_bytes(std::span(events_));
  const std::uint64_t offset = file_->reserve(bytes.size());
  file_->write(offset, bytes);
  runs_.push_back({offset, events_.size()});
  events_.clear();
}

bool Timeline::refill(Run& run) const {
  run.buffer.resize(std::min<std::uint64_t>(run.events, kEventsPerRead));
  run.next = run.buffer.begin();
  if (run.buffer.empty()) return false;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(run.buffer));
  file_->read(run.offset, bytes);
  run.offset += bytes.size();
  run.events -= run.buffer.size();
  return true;
}

}  // namespace ratereplay
