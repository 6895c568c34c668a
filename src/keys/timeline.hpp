// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keys/trace_store.hpp"

namespace ratereplay {

/// The requests of a trace over all keys: by instant, then file and row.
struct Timeline {
  struct Event {
    std::int64_t at;    ///< ns
    std::uint64_t row;  ///< 0-based over all files
    std::uint32_t key;  ///< index into keys
    Cost cost;
  };
  std::vector<Event> events;
  std::vector<std::string> keys;  ///< as held (keys/shown_key.hpp)
};

/// The trace must have been read with keep_rows and still hold its rows.
[[nodiscard]] Timeline timeline_of(const TraceStore& trace);

}  // namespace ratereplay
