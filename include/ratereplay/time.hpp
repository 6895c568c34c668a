// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace ratereplay {

/// The clock of a trace. It has no now(): time is always an argument, so that a replay can be
/// repeated. Counts signed nanoseconds from the Unix epoch (or from the start of a relative trace);
/// reaches from 1677-09-21 to 2262-04-11.
struct TraceClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<TraceClock>;
  static constexpr bool is_steady = true;  // NOLINT(readability-identifier-naming)
};

/// A length of time in whole nanoseconds.
using Duration = std::chrono::nanoseconds;

/// An instant of the trace, in whole nanoseconds.
using Instant = TraceClock::time_point;

}  // namespace ratereplay
