// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "keys/trace_store.hpp"
#include "large_vector.hpp"

namespace ratereplay {

/// The requests of a trace over all keys: by instant, then file and row. Those of a trace that is
/// in order are taken from it as they are asked for. Else they are sorted; where the trace has a
/// spill file, no more of them are in memory at a time than it allows.
class Timeline {
 public:
  struct Event {
    std::int64_t at;    ///< ns
    std::uint64_t row;  ///< 0-based over all files
    std::uint32_t key;  ///< index into keys()
    Cost cost;

    friend bool operator<(const Event& a, const Event& b) {
      return a.at != b.at ? a.at < b.at : a.row < b.row;
    }
  };

  class Reader;

  /// The trace must have been read with keep_rows, still hold its rows, and outlive this.
  explicit Timeline(const TraceStore& trace, unsigned threads = 1);

  /// As held (keys/shown_key.hpp).
  [[nodiscard]] const std::vector<std::string_view>& keys() const noexcept { return keys_; }

  /// Calls take(event) for all of them, in order.
  template <class Take>
  void for_each(const Take& take) const;

 private:
  /// Events in order that the spill file holds, and those of them that were read last.
  struct Run {
    std::uint64_t offset;
    std::uint64_t events;  ///< that are still to be read
    std::vector<Event> buffer{};
    std::vector<Event>::const_iterator next{};
  };

  /// Takes all rows into memory.
  void gather(unsigned threads);
  /// Takes as many rows into memory as there is room for, and moves them to the file in runs.
  void gather_in_runs();
  void end_run();
  /// False at the end of the run.
  bool refill(Run& run) const;

  const TraceStore& trace_;
  bool by_row_;                            ///< the trace itself is in order
  std::vector<std::uint32_t> first_keys_;  ///< of each partition
  std::vector<std::string_view> keys_;
  LargeVector<Event> events_;  ///< all, unless they are in the trace or in runs
  std::vector<Run> runs_;
};

/// Goes once through a timeline, which must outlive it.
class Timeline::Reader {
 public:
  explicit Reader(const Timeline& timeline);

  /// The next events, at most so many (and at least one, until there are no more). They stay until
  /// the second call after this one.
  [[nodiscard]] std::span<const Event> next(std::size_t most);

 private:
  /// Fill the next events in.
  void take_from_trace(std::span<Event> events);
  void merge_runs(std::span<Event> events);

  const Timeline& timeline_;
  std::uint64_t taken_ = 0;
  std::vector<Partition::Cursor> cursors_;     ///< by partition, if the trace is in order
  std::vector<Run> runs_;                      ///< a heap: the run with the first event on top
  std::array<LargeVector<Event>, 2> buffers_;  ///< filled in turn
};

template <class Take>
void Timeline::for_each(const Take& take) const {
  constexpr std::size_t kMost = 4096;
  Reader reader(*this);
  for (auto events = reader.next(kMost); !events.empty(); events = reader.next(kMost)) {
    for (const Event& event : events) take(event);
  }
}

}  // namespace ratereplay
