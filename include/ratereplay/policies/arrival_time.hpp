// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ratereplay/arithmetic.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"

namespace ratereplay {

/// The rule that gcra, the token bucket and the leaky bucket share: one number, the theoretical
/// arrival time, which every charged unit moves W/L further.
///
/// It is held in units of 1/L ns, so that nothing is ever rounded. Time is at most 2^63 ns, limit
/// and capacity at most 2^63 - 1, hence `now * L + B * W` is below 2^127; the number saturates at
/// 2^127 - 1, where every cost but 0 is refused for all time and every wait is beyond 2^63 - 1 ns,
/// so no answer becomes wrong.
class ArrivalTime {
 public:
  struct State {
    Wide tat = kWideMin;  ///< in 1/L ns

    /// Back to a fresh key.
    void reset() noexcept { *this = State{}; }
    friend bool operator==(const State&, const State&) = default;
  };

  /// limit, window and capacity >= 1.
  ArrivalTime(Limit limit, std::int64_t capacity, bool attempted) noexcept
      : count_(limit.count),
        window_(limit.window.count()),
        capacity_(capacity),
        full_(Wide{capacity} * limit.window.count()),
        attempted_(attempted) {}

  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_; }

  /// Decides `cost` >= 1 at seen time t and charges it.
  Outcome commit(State& state, std::int64_t t, Cost cost) const noexcept {
    const Wide now = Wide{t} * count_;
    const Wide base = state.tat > now ? state.tat : now;
    const Wide step = Wide{cost} * window_;
    if (base <= now + full_ - step) {
      state.tat = base + step;
      return Outcome::kAdmitted;
    }
    if (attempted_) state.tat = saturating_add(base, step);
    return cost > capacity_ ? Outcome::kNever : Outcome::kRefused;
  }

  /// The first seen time, in ns, at which `cost` would be admitted, nothing else arriving: at or
  /// before t when it would be admitted at t. cost <= capacity().
  [[nodiscard]] Wide due(const State& state, std::int64_t t, std::int64_t cost) const noexcept {
    const Wide base = std::max(state.tat, Wide{t} * count_);
    return ceil_div(base - (Wide{capacity_} - cost) * window_, count_);
  }

  /// The largest cost that would be admitted at t.
  [[nodiscard]] std::int64_t remaining(const State& state, std::int64_t t) const noexcept {
    const Wide now = Wide{t} * count_;
    const Wide base = state.tat > now ? state.tat : now;
    const Wide edge = now + full_;
    return base > edge ? 0 : saturate(floor_div(edge - base, window_));
  }

  /// The arrival time in ns, fractions up.
  [[nodiscard]] Wide arrival(const State& state) const noexcept {
    return ceil_div(state.tat, count_);
  }

  /// Units charged and not yet paid off at t, begun ones counted whole.
  [[nodiscard]] Wide backlog(const State& state, std::int64_t t) const noexcept {
    const Wide now = Wide{t} * count_;
    if (state.tat <= now) return 0;
    const Wide ahead = now < 0 && state.tat > kWideMax + now ? kWideMax : state.tat - now;
    return ceil_div(ahead, window_);
  }

 private:
  std::int64_t count_;
  std::int64_t window_;
  std::int64_t capacity_;
  Wide full_;  ///< what separates the arrival time of a key just emptied from now
  bool attempted_;
};

}  // namespace ratereplay
