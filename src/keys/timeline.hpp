// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "keys/trace_store.hpp"

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

  /// The trace must have been read with keep_rows and still hold its rows.
  explicit Timeline(const TraceStore& trace);

  /// As held (keys/shown_key.hpp).
  [[nodiscard]] const std::vector<std::string>& keys() const noexcept { return keys_; }

  /// Calls take(event) for all of them, in order.
  template <class Take>
  void for_each(const Take& take) const {
    if (runs_.empty()) {
      for (const Event& event : events_) take(event);
      return;
    }
    std::vector<Run> runs = runs_;
    std::erase_if(runs, [this](Run& run) { return !refill(run); });
    const auto later = [](const Run& a, const Run& b) { return *b.next < *a.next; };
    std::ranges::make_heap(runs, later);
    while (!runs.empty()) {
      std::ranges::pop_heap(runs, later);
      Run& run = runs.back();
      take(*run.next);
      if (++run.next == run.buffer.end() && !refill(run)) {
        runs.pop_back();
      } else {
        std::ranges::push_heap(runs, later);
      }
    }
  }

 private:
  /// Events in order that the spill file holds, and those of them that were read last.
  struct Run {
    std::uint64_t offset;
    std::uint64_t events;  ///< that are still to be read
    std::vector<Event> buffer{};
    std::vector<Event>::const_iterator next{};
  };

  /// events_, which are all there are.
  void sort(const TraceFacts& facts);
  /// False at the end of the run.
  bool refill(Run& run) const;
  void end_run();

  std::vector<std::string> keys_;
  std::vector<Event> events_;
  std::vector<Run> runs_;  ///< empty when events_ holds all
  std::shared_ptr<SpillFile> file_;
};

}  // namespace ratereplay
