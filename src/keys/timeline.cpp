// SPDX-License-Identifier: Apache-2.0
#include "keys/timeline.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "interrupt.hpp"
#include "parallel.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kEventsPerRead = 4096;

/// Where the keys and rows of a partition stand among those of all.
struct Offsets {
  std::uint32_t first_key;
  std::uint64_t first_row;
};

std::vector<Offsets> offsets_of(const TraceStore& trace) {
  std::vector<Offsets> offsets;
  Offsets next{0, 0};
  for (const Partition& partition : trace.partitions) {
    offsets.push_back(next);
    next.first_key += static_cast<std::uint32_t>(partition.keys());
    next.first_row += partition.rows();
  }
  offsets.push_back(next);
  return offsets;
}

/// Calls take(event) for the rows of a partition, key by key.
template <class Take>
void for_each_row(const GroupedRows& grouped, std::uint32_t first_key, const Take& take) {
  for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
    const auto id = first_key + static_cast<std::uint32_t>(key);
    for (std::size_t i = grouped.first[key]; i < grouped.first[key + 1]; ++i) {
      take(Timeline::Event{grouped.at[i], grouped.row[i], id,
                           grouped.cost.empty() ? Cost{1} : grouped.cost[i]});
    }
  }
}

constexpr auto kLater = [](const auto& a, const auto& b) { return *b.next < *a.next; };

}  // namespace

Timeline::Timeline(const TraceStore& trace, unsigned threads) : file_(trace.spill) {
  if (file_) {
    gather_in_runs(trace);
  } else {
    gather(trace, threads);
  }
}

void Timeline::gather(const TraceStore& trace, unsigned threads) {
  const std::vector<Offsets> offsets = offsets_of(trace);
  keys_.resize(offsets.back().first_key);
  events_.resize(offsets.back().first_row);
  // Most traces are in order already: then an event belongs where its row says.
  const TraceFacts& facts = trace.facts;
  const bool by_row = facts.files.size() == 1 && facts.out_of_order == 0 &&
                      facts.subsecond == "keep" && facts.rows == events_.size();
  std::atomic<std::size_t> next{0};
  in_parallel(threads, [&](unsigned) {
    GroupedRows grouped;
    for (std::size_t i = next++; i < trace.partitions.size(); i = next++) {
      stop_if_interrupted();
      trace.partitions[i].group(trace.order, grouped);
      for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
        keys_[offsets[i].first_key + key] = grouped.keys[key].text();
      }
      Event* to = events_.data() + offsets[i].first_row;
      for_each_row(grouped, offsets[i].first_key, [&](const Event& event) {
        if (by_row) {
          events_[event.row] = event;
        } else {
          *to++ = event;
        }
      });
    }
  });
  if (!by_row) std::sort(events_.begin(), events_.end());
}

void Timeline::gather_in_runs(const TraceStore& trace) {
  const std::uint64_t room =
      std::clamp<std::uint64_t>(trace.row_memory / sizeof(Event), 1, trace.facts.requests);
  events_.reserve(room);
  keys_.reserve(trace.facts.keys);
  GroupedRows grouped;
  for (const Partition& partition : trace.partitions) {
    stop_if_interrupted();
    partition.group(trace.order, grouped);
    const auto first_key = static_cast<std::uint32_t>(keys_.size());
    for (const PackedKey& key : grouped.keys) keys_.emplace_back(key.text());
    for_each_row(grouped, first_key, [&](const Event& event) {
      if (events_.size() == room) end_run();
      events_.push_back(event);
    });
  }
  end_run();
  events_ = {};
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

Timeline::Reader::Reader(const Timeline& timeline) : timeline_(timeline), runs_(timeline.runs_) {
  std::erase_if(runs_, [this](Run& run) { return !timeline_.refill(run); });
  std::ranges::make_heap(runs_, kLater);
}

std::span<const Timeline::Event> Timeline::Reader::next(std::size_t most) {
  if (timeline_.runs_.empty()) {
    const std::span<const Event> all(timeline_.events_);
    const std::span<const Event> events = all.subspan(taken_, std::min(most, all.size() - taken_));
    taken_ += events.size();
    return events;
  }
  std::swap(buffers_[0], buffers_[1]);
  std::vector<Event>& merged = buffers_[0];
  merged.clear();
  while (merged.size() < most && !runs_.empty()) {
    std::ranges::pop_heap(runs_, kLater);
    Run& run = runs_.back();
    merged.push_back(*run.next);
    if (++run.next == run.buffer.end() && !timeline_.refill(run)) {
      runs_.pop_back();
    } else {
      std::ranges::push_heap(runs_, kLater);
    }
  }
  return merged;
}

}  // namespace ratereplay
