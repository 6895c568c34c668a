// SPDX-License-Identifier: Apache-2.0
#include "keys/timeline.hpp"

#include <algorithm>
#include <utility>

#include "interrupt.hpp"
#include "parallel.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kEventsPerRead = 4096;

/// Whether every row is a request that follows the row before.
bool in_order_by_row(const TraceStore& trace) {
  const TraceFacts& facts = trace.facts;
  return !trace.spill && facts.files.size() == 1 && facts.out_of_order == 0 &&
         facts.subsecond == "keep" && facts.rows == facts.requests;
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

Timeline::Timeline(const TraceStore& trace, unsigned threads)
    : trace_(trace), by_row_(in_order_by_row(trace)) {
  keys_.reserve(trace.facts.keys);
  for (const Partition& partition : trace.partitions) {
    first_keys_.push_back(static_cast<std::uint32_t>(keys_.size()));
    partition.for_each_key([&](const PackedKey& key) { keys_.push_back(key.text()); });
  }
  if (trace.spill) {
    gather_in_runs();
  } else if (!by_row_) {
    gather(threads);
  }
}

void Timeline::gather(unsigned threads) {
  std::vector<std::uint64_t> first_rows;
  for (std::uint64_t first = 0; const Partition& partition : trace_.partitions) {
    first_rows.push_back(first);
    first += partition.rows();
  }
  events_.resize(trace_.facts.requests);
  std::vector<GroupedRows> grouped(threads);
  share_out(threads, trace_.partitions.size(), [&](unsigned thread, std::size_t i) {
    stop_if_interrupted();
    trace_.partitions[i].group(trace_.order, grouped[thread]);
    Event* to = events_.data() + first_rows[i];
    for_each_row(grouped[thread], first_keys_[i], [&](const Event& event) { *to++ = event; });
  });
  std::sort(events_.begin(), events_.end());
}

void Timeline::gather_in_runs() {
  const std::uint64_t room =
      std::clamp<std::uint64_t>(trace_.row_memory / sizeof(Event), 1, trace_.facts.requests);
  events_.reserve(room);
  GroupedRows grouped;
  for (std::size_t i = 0; i < trace_.partitions.size(); ++i) {
    stop_if_interrupted();
    trace_.partitions[i].group(trace_.order, grouped);
    for_each_row(grouped, first_keys_[i], [&](const Event& event) {
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
  const std::uint64_t offset = trace_.spill->reserve(bytes.size());
  trace_.spill->write(offset, bytes);
  runs_.push_back({offset, events_.size()});
  events_.clear();
}

bool Timeline::refill(Run& run) const {
  run.buffer.resize(std::min<std::uint64_t>(run.events, kEventsPerRead));
  run.next = run.buffer.begin();
  if (run.buffer.empty()) return false;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(run.buffer));
  trace_.spill->read(run.offset, bytes);
  run.offset += bytes.size();
  run.events -= run.buffer.size();
  return true;
}

Timeline::Reader::Reader(const Timeline& timeline) : timeline_(timeline), runs_(timeline.runs_) {
  if (timeline.by_row_) cursors_.resize(timeline.trace_.partitions.size());
  std::erase_if(runs_, [this](Run& run) { return !timeline_.refill(run); });
  std::ranges::make_heap(runs_, kLater);
}

std::span<const Timeline::Event> Timeline::Reader::next(std::size_t most) {
  const std::uint64_t all = timeline_.trace_.facts.requests;
  const std::size_t size = std::min<std::uint64_t>(most, all - taken_);
  std::span<const Event> events;
  if (!timeline_.events_.empty()) {
    events = std::span(timeline_.events_).subspan(taken_, size);
  } else {
    std::swap(buffers_[0], buffers_[1]);
    buffers_[0].resize(size);
    if (timeline_.by_row_) {
      take_from_trace(buffers_[0]);
    } else {
      merge_runs(buffers_[0]);
    }
    events = buffers_[0];
  }
  taken_ += size;
  return events;
}

void Timeline::Reader::take_from_trace(std::span<Event> events) {
  for (std::size_t i = 0; i < cursors_.size(); ++i) {
    const std::uint32_t first_key = timeline_.first_keys_[i];
    timeline_.trace_.partitions[i].take_rows(
        cursors_[i], taken_ + events.size(),
        [&](std::uint64_t row, std::int64_t at, std::uint32_t key, Cost cost) {
          events[row - taken_] = {at, row, first_key + key, cost};
        });
  }
}

void Timeline::Reader::merge_runs(std::span<Event> events) {
  for (Event& event : events) {
    std::ranges::pop_heap(runs_, kLater);
    Run& run = runs_.back();
    event = *run.next;
    if (++run.next == run.buffer.end() && !timeline_.refill(run)) {
      runs_.pop_back();
    } else {
      std::ranges::push_heap(runs_, kLater);
    }
  }
}

}  // namespace ratereplay
