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
        narrow_(!attempted && fits_int64(full_)),
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

  /// See concept Policy; `clock` is the one that the policy reads. 1 <= cost <= capacity().
  [[nodiscard]] Instant due(const State& state, Instant now, std::int64_t cost,
                            const Resolution& clock) const noexcept {
    const std::int64_t t = clock.seen(now);
    const UnsignedWide ahead = ahead_of(state, t);
    return narrow_ ? due(static_cast<std::uint64_t>(ahead), now, t, cost, clock)
                   : due(ahead, now, t, cost, clock);
  }

  /// See concept Policy.
  [[nodiscard]] Standing standing(const State& state, Instant now,
                                  const Resolution& clock) const noexcept {
    const std::int64_t t = clock.seen(now);
    const UnsignedWide ahead = ahead_of(state, t);
    return narrow_ ? standing(static_cast<std::uint64_t>(ahead), now, t, clock)
                   : standing(ahead, now, t, clock);
  }

  /// The arrival time in ns, fractions up.
  [[nodiscard]] Wide arrival(const State& state) const noexcept {
    return ceil_div(state.tat, count_);
  }

  /// From t to the arrival time, in ns, fractions up.
  [[nodiscard]] UnsignedWide wait(const State& state, std::int64_t t) const noexcept {
    return ceil_div(ahead_of(state, t), static_cast<UnsignedWide>(count_));
  }

  /// Units charged and not yet paid off at t, begun ones counted whole.
  [[nodiscard]] UnsignedWide backlog(const State& state, std::int64_t t) const noexcept {
    return ceil_div(ahead_of(state, t), static_cast<UnsignedWide>(window_));
  }

 private:
  /// From t to the arrival time, in 1/L ns.
  [[nodiscard]] UnsignedWide ahead_of(const State& state, std::int64_t t) const noexcept {
    const Wide now = Wide{t} * count_;
    if (state.tat <= now) return 0;
    return static_cast<UnsignedWide>(state.tat) - static_cast<UnsignedWide>(now);
  }

  template <class Unsigned>
  [[nodiscard]] Instant due(Unsigned ahead, Instant now, std::int64_t t, std::int64_t cost,
                            const Resolution& clock) const noexcept {
    const auto slack = static_cast<Unsigned>(capacity_ - cost) * static_cast<Unsigned>(window_);
    if (ahead <= slack) return now;
    const Unsigned wait = ceil_div(ahead - slack, static_cast<Unsigned>(count_));
    return clock.reaches(later(t, wait));
  }

  template <class Unsigned>
  [[nodiscard]] Standing standing(Unsigned ahead, Instant now, std::int64_t t,
                                  const Resolution& clock) const noexcept {
    if (ahead == 0) return {capacity_, now, now};
    const auto full = static_cast<Unsigned>(full_);
    const Unsigned room = ahead < full ? full - ahead : 0;
    const auto remaining = static_cast<std::int64_t>(room / static_cast<Unsigned>(window_));
    return {remaining, due(ahead, now, t, remaining + 1, clock),
            due(ahead, now, t, capacity_, clock)};
  }

  std::int64_t count_;
  std::int64_t window_;
  std::int64_t capacity_;
  Wide full_;    ///< what separates the arrival time of a key just emptied from now
  bool narrow_;  ///< and that is never more, and fits 64 bits
  bool attempted_;
};

}  // namespace ratereplay
