// SPDX-License-Identifier: Apache-2.0
#include "measure/buckets.hpp"

#include <array>
#include <chrono>
#include <limits>

namespace ratereplay {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAutomaticBuckets = 500;

/// The multiple of width at or before `at`; `at` itself where that cannot be represented.
std::int64_t grid_floor(std::int64_t at, std::int64_t width) noexcept {
  std::int64_t rest = at % width;
  if (rest < 0) rest += width;
  return at < std::numeric_limits<std::int64_t>::min() + rest ? at : at - rest;
}

}  // namespace

Wide Buckets::count(Instant first, Instant last, Duration width) noexcept {
  const std::int64_t start = grid_floor(first.time_since_epoch().count(), width.count());
  const std::uint64_t span = static_cast<std::uint64_t>(last.time_since_epoch().count()) -
                             static_cast<std::uint64_t>(start);
  return Wide{span / static_cast<std::uint64_t>(width.count())} + 1;
}

Buckets::Buckets(Instant first, Instant last, Duration width)
    : start_(grid_floor(first.time_since_epoch().count(), width.count())),
      width_(width.count()),
      by_width_(static_cast<std::uint64_t>(width.count())),
      count_(static_cast<std::size_t>(count(first, last, width))) {}

Duration Buckets::automatic_width(Instant first, Instant last) noexcept {
  for (Duration decade = 1us; decade < 1s; decade *= 10) {
    for (const int step : {1, 2, 5}) {
      if (count(first, last, decade * step) <= kAutomaticBuckets) return decade * step;
    }
  }
  constexpr std::array<Duration, 18> kWidths = {
      1s, 2s, 5s, 10s, 15s, 30s, 1min, 2min, 5min, 10min, 15min, 30min, 1h, 2h, 6h, 12h, 24h, 168h};
  for (const Duration width : kWidths) {
    if (count(first, last, width) <= kAutomaticBuckets) return width;
  }
  Duration width = 24h * 365;
  while (count(first, last, width) > kAutomaticBuckets) width *= 2;
  return width;
}

}  // namespace ratereplay
