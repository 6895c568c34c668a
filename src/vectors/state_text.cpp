// SPDX-License-Identifier: Apache-2.0
#include "vectors/state_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ratereplay {
namespace {

constexpr std::size_t kMostEntries = 8;
constexpr std::string_view kFresh = "fresh";

/// ns as decimal units: 1333.333334.
std::string time_text(Wide ns, Unit unit) {
  const bool negative = ns < 0;
  const Wide magnitude = negative ? -ns : ns;
  std::string text = fmt::format("{}{}", negative ? "-" : "", magnitude / unit.nanos);
  Wide rest = magnitude % unit.nanos;
  if (rest == 0) return text;
  text += '.';
  for (std::int64_t digit = unit.nanos / 10; rest != 0; digit /= 10) {
    text += static_cast<char>('0' + static_cast<int>(rest / digit));
    rest %= digit;
  }
  return text;
}

/// `tat` in 1/L ns, a part of a nanosecond rounded up.
std::string arrival_text(const ArrivalTime::State& state, const Limit& limit, Unit unit) {
  if (state == ArrivalTime::State{}) return std::string(kFresh);
  return fmt::format("arrival time {}", time_text(ceil_div(state.tat, limit.count), unit));
}

}  // namespace

std::string state_text(const FixedWindow&, const FixedWindow::State& state, Unit unit) {
  if (state.count == 0) return std::string(kFresh);
  return fmt::format("count {}, window ends at {}", state.count,
                     time_text(Wide{state.last} + 1, unit));
}

std::string state_text(const SlidingLog&, const SlidingLog::State& state, Unit unit) {
  if (state.size() == 0) return std::string(kFresh);
  std::string text = fmt::format("{} held:", state.units());
  for (std::size_t i = 0; i < std::min(state.size(), kMostEntries); ++i) {
    text +=
        fmt::format("{} {} at {}", i == 0 ? "" : ",", state[i].units, time_text(state[i].at, unit));
  }
  if (state.size() > kMostEntries) {
    text += fmt::format(", and {} later instants", state.size() - kMostEntries);
  }
  return text;
}

std::string state_text(const SlidingCounter& policy, const SlidingCounter::State& state,
                       Unit unit) {
  if (state.count == 0 && state.previous == 0) return std::string(kFresh);
  const std::string begin =
      state.last == kInt64Max
          ? time_text(static_cast<std::int64_t>(state.start), unit)
          : time_text(Wide{state.last} - policy.limit().window.count() + 1, unit);
  return fmt::format("count {}, before it {}, window began at {}", state.count, state.previous,
                     begin);
}

std::string state_text(const Gcra& policy, const Gcra::State& state, Unit unit) {
  return arrival_text(state, policy.limit(), unit);
}

std::string state_text(const TokenBucket& policy, const TokenBucket::State& state, Unit unit) {
  if (policy.options().refill != Refill::kInterval) {
    return arrival_text(state.continuous, policy.limit(), unit);
  }
  if (!state.interval.started) return std::string(kFresh);
  return fmt::format("tokens {}, refilled at {}", state.interval.tokens,
                     time_text(Wide{state.interval.last} + 1, unit));
}

std::string state_text(const LeakyBucket& policy, const LeakyBucket::State& state, Unit unit) {
  return arrival_text(state, policy.limit(), unit);
}

}  // namespace ratereplay
