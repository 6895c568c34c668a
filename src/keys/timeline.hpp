// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "keys/trace_store.hpp"
#include "large_vector.hpp"

namespace ratereplay {

/// The requests of a trace over all keys: by instant, then file and row. Where the trace has a
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

  /// The trace must have been read with keep_rows and still hold its rows.
  explicit Timeline(const TraceStore& trace, unsigned threads = 1);

  /// As held (keys/shown_key.hpp).
  [[nodiscard]] const std::vector<std::string>& keys() const noexcept { return keys_; }

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
  void gather(const TraceStore& trace, unsigned threads);
  /// Takes as many rows into memory as there is room for, and moves them to the file in runs.
  void gather_in_runs(const TraceStore& trace);
  void end_run();
  /// False at the end of the run.
  bool refill(Run& run) const;

  std::vector<std::string> keys_;
  LargeVector<Event> events_;
  std::vector<Run> runs_;  ///< empty when events_ holds all
  std::shared_ptr<SpillFile> file_;
};

/// Goes once through a timeline, which must outlive it.
class Timeline::Reader {
 public:
  explicit Reader(const Timeline& timeline);

  /// The next events, at most so many (and at least one, until there are no more). They stay until
  /// the second call after this one.
  [[nodiscard]] std::span<const Event> next(std::size_t most);

 private:
  const Timeline& timeline_;
  std::size_t taken_ = 0;                      ///< of the events in memory
  std::vector<Run> runs_;                      ///< a heap: the run with the first event on top
  std::array<std::vector<Event>, 2> buffers_;  ///< merged in turn
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
