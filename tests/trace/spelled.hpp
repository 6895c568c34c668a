// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "ratereplay/time.hpp"

namespace ratereplay {

/// For tests: `2015-05-17 10:05:03.25`, or `12.5 s` since the start of the trace.
inline std::string spelled(Instant at, bool absolute) {
  const std::int64_t nanos = at.time_since_epoch().count();
  std::int64_t seconds = nanos / 1'000'000'000;
  std::int64_t below = nanos % 1'000'000'000;
  if (below < 0 && absolute) {
    below += 1'000'000'000;
    --seconds;
  }
  std::string fraction;
  if (below != 0) {
    fraction = fmt::format(".{:09}", below < 0 ? -below : below);
    fraction.erase(fraction.find_last_not_of('0') + 1);
  }
  if (!absolute) {
    return fmt::format("{}{}{} s", nanos < 0 ? "-" : "", seconds < 0 ? -seconds : seconds,
                       fraction);
  }
  const std::chrono::sys_seconds point{std::chrono::seconds{seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{point - day};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     fraction);
}

}  // namespace ratereplay
