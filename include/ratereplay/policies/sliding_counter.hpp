// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "ratereplay/arithmetic.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/parameters.hpp"

namespace ratereplay {

/// Sliding counter: two counts stand for the log. The units of the window before count in the
/// proportion in which that window still overlaps the trailing one.
///
/// * With c units in this window, p in the one before and e ns of this one gone, the past is
///   `p (W - e) / W`; admits n iff `past + c + n <= L`. How the past is rounded, `round=`, decides:
///   `floor` (the default), `exact` (a fraction), `nearest` (a half goes up), `ceil` (decides as
///   `exact`, since n is whole). All are compared as products; nothing is divided.
/// * Wait: with `m = L - n - c`, to the least e at which the past is <= m; if m < 0, to the next
///   window and there until the past, now c, is <= L - n.
/// * `anchor=first`: the grid starts at the first charged request, and anew at the first charged
/// one
///   after both counts have come to 0.
/// * Promises at most 2L units in a trailing window (floor, nearest), 2L - 1 (exact, ceil).
/// * State: window and two counts, 24 bytes. A call costs a compare when both counts and n together
///   fit, else two multiplications.
/// * Makes with any limit and window from 1 to 2^63 - 1 (ns); counts saturate at 2^63 - 1.
/// * Source: docs/policies/sliding-counter.md.
class SlidingCounter {
 public:
  static constexpr std::string_view kName = "sliding-counter";
  static constexpr std::array kOptions{Option::kRound, Option::kAnchor, Option::kCharge,
                                       Option::kClock};

  /// A fresh key has both counts 0; then the window means nothing.
  struct State {
    std::int64_t last = kInt64Min;  ///< last seen nanosecond of the window, at most 2^63 - 1
    std::uint64_t start = 0;        ///< its first, modulo 2^64: it can lie before all time
    std::int64_t count = 0;         ///< units charged in the window, saturating
    std::int64_t previous = 0;      ///< units charged in the window before

    /// Back to a fresh key.
    void reset() noexcept { *this = State{}; }
    friend bool operator==(const State&, const State&) = default;
  };

  /// std::invalid_argument: see the class.
  explicit SlidingCounter(Limit limit, Options options = {})
      : limit_(limit),
        options_(checked(kName, limit, options, kOptions)),
        clock_(options.clock.value_or(Duration{1})) {
    options_.round = options.round.value_or(Round::kFloor);
    options_.anchor = options.anchor.value_or(Anchor::kEpoch);
    options_.charge = options.charge.value_or(Charge::kAdmitted);
    round_ = *options_.round;
    first_ = options_.anchor == Anchor::kFirst;
    attempted_ = options_.charge == Charge::kAttempted;
    narrow_ = !attempted_ && fits_int64((2 * Wide{limit.count} + 1) * limit.window.count());
  }

  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return limit_.count; }
  [[nodiscard]] std::int64_t bytes_per_key() const noexcept { return 24; }
  [[nodiscard]] std::int64_t live_bytes(const State&) const noexcept { return bytes_per_key(); }

  /// See concept CalmPolicy.
  [[nodiscard]] Duration calm_window() const noexcept {
    return Duration{saturate(2 * Wide{window()} + clock_.step() - 1)};
  }

  /// For a window and the units of the one before, 1 to 2^61, window() to 2^61 ns: the instants, in
  /// ns of the window, from which on that past counts for one unit less, for two less, and so on. A
  /// division when made, an addition for each.
  class Fades {
   public:
    Fades(const SlidingCounter& policy, std::int64_t units) noexcept {
      const auto first = policy.fading<Wide>(units, 1);
      const std::uint64_t first_numerator = static_cast<std::uint64_t>(first.numerator);
      denominator_ = static_cast<std::uint64_t>(first.denominator);
      whole_ = first_numerator / denominator_;
      part_ = first_numerator % denominator_;
      // From one unit to the next it takes window / units.
      const std::uint64_t length = static_cast<std::uint64_t>(policy.window());
      const std::uint64_t count = static_cast<std::uint64_t>(units);
      whole_step_ = length / count;
      part_step_ = length % count * (denominator_ == count ? 1 : 2);
    }
    /// From when on one unit less counts; later with each unit.
    [[nodiscard]] std::int64_t at() const noexcept { return static_cast<std::int64_t>(whole_) + 1; }
    void next_unit() noexcept {
      whole_ += whole_step_;
      part_ += part_step_;
      if (part_ < denominator_) return;
      part_ -= denominator_;
      ++whole_;
    }

   private:
    std::uint64_t denominator_;
    std::uint64_t whole_;
    std::uint64_t part_;
    std::uint64_t whole_step_;
    std::uint64_t part_step_;
  };

  /// See concept Policy.
  Outcome commit(State& state, Instant now, Cost cost) const noexcept {
    if (cost == 0) return Outcome::kAdmitted;
    const std::int64_t t = clock_.seen(now);
    roll(state, t);
    if (admits(state, t, cost)) {
      charge(state, t, cost);
      return Outcome::kAdmitted;
    }
    if (attempted_) charge(state, t, cost);
    return cost > limit_.count ? Outcome::kNever : Outcome::kRefused;
  }

  /// See concept Policy.
  [[nodiscard]] Instant due(const State& held, Instant now, std::int64_t cost) const noexcept {
    const std::int64_t t = clock_.seen(now);
    State state = held;
    roll(state, t);
    if (cost == 0 || admits(state, t, cost)) return now;
    return narrow_ ? due<std::int64_t>(state, t, cost) : due<Wide>(state, t, cost);
  }

  /// See concept Policy.
  [[nodiscard]] Standing standing(const State& held, Instant now) const noexcept {
    const std::int64_t t = clock_.seen(now);
    State state = held;
    roll(state, t);
    return narrow_ ? standing<std::int64_t>(state, now, t) : standing<Wide>(state, now, t);
  }

  /// When the past counts for nothing any more; with anchor=first, when the grid may start anew. (A
  /// clock coarser than the window can make two grids alike earlier; that is not looked for.)
  [[nodiscard]] Instant expires_at(const State& state) const noexcept {
    if (state.count == 0 && state.previous == 0) return Instant::min();
    const Wide start = start_of(state);
    if (state.count == 0) return clock_.reaches(start + forgotten(state.previous));
    return clock_.reaches(start + window() + forgotten(state.count));
  }

 private:
  [[nodiscard]] std::int64_t window() const noexcept { return limit_.window.count(); }

  /// Moves the state to the window that holds t: a change of form, not of meaning.
  void roll(State& state, std::int64_t t) const noexcept {
    if (t <= state.last) return;
    if (state.count == 0 || elapsed(state.last, t) > static_cast<std::uint64_t>(window())) {
      state.reset();
      return;
    }
    state.previous = state.count;
    state.count = 0;
    state.start += static_cast<std::uint64_t>(window());
    state.last = saturating_add(state.last, window());
  }

  /// W - e: what is left of the window that holds t, in ns.
  [[nodiscard]] std::int64_t left(const State& state, std::int64_t t) const noexcept {
    return window() - static_cast<std::int64_t>(static_cast<std::uint64_t>(t) - state.start);
  }

  [[nodiscard]] Wide start_of(const State& state) const noexcept {
    if (state.last == kInt64Max) return static_cast<std::int64_t>(state.start);
    return Wide{state.last} - window() + 1;
  }

  /// The rule. `state` is in the window that holds t.
  [[nodiscard]] bool admits(const State& state, std::int64_t t, std::int64_t cost) const noexcept {
    if (cost > limit_.count) return false;
    const std::int64_t room = limit_.count - cost - state.count;
    if (state.previous <= room) return true;
    if (room < 0) return false;
    const Wide past = Wide{state.previous} * left(state, t);
    switch (round_) {
      case Round::kFloor:
        return past < (Wide{room} + 1) * window();
      case Round::kNearest:
        return 2 * past < (2 * Wide{room} + 1) * window();
      case Round::kExact:
      case Round::kCeil:
        return past <= Wide{room} * window();
    }
    return false;
  }

  // The following take 128 bits, or 64 where no product of the policy is too large for them.

  /// See concept Policy; `state` is in the window that holds t.
  template <class Int>
  [[nodiscard]] Standing standing(const State& state, Instant now, std::int64_t t) const noexcept {
    const Int room = Int{limit_.count} - state.count - past<Int>(state, t);
    const auto remaining = room > 0 ? static_cast<std::int64_t>(room) : 0;
    if (remaining == limit_.count) return {remaining, now, now};
    const Instant reset_at = due<Int>(state, t, remaining + 1);
    return {remaining, reset_at,
            remaining + 1 == limit_.count ? reset_at : due<Int>(state, t, limit_.count)};
  }

  /// When a cost that is not admitted at t will be.
  template <class Int>
  [[nodiscard]] Instant due(const State& state, std::int64_t t, std::int64_t cost) const noexcept {
    const std::int64_t room = limit_.count - cost - state.count;
    const Int left = this->left(state, t);
    const Int wait = room >= 0 ? fades<Int>(state.previous, room) - (window() - left)
                               : fades<Int>(state.count, limit_.count - cost) + left;
    return clock_.reaches(later(t, static_cast<std::uint64_t>(wait)));
  }

  /// What the window before still counts, in whole units; exact: what it takes from a whole cost.
  template <class Int>
  [[nodiscard]] Int past(const State& state, std::int64_t t) const noexcept {
    if (state.previous == 0) return 0;
    const Int product = Int{state.previous} * left(state, t);
    switch (round_) {
      case Round::kFloor:
        return floor_div(product, window());
      case Round::kNearest:
        return floor_div(2 * product + window(), 2 * Int{window()});
      case Round::kExact:
      case Round::kCeil:
        break;
    }
    return ceil_div(product, window());
  }

  /// A past of `units` counts for `units - gone` at most from the first e on that is greater than
  /// numerator / denominator; 1 <= gone <= units.
  template <class Int>
  struct Fading {
    Int numerator;
    Int denominator;
  };
  template <class Int>
  [[nodiscard]] Fading<Int> fading(std::int64_t units, std::int64_t gone) const noexcept {
    const Int w = window();
    switch (round_) {
      case Round::kFloor:
        return {w * (gone - 1), units};
      case Round::kNearest:
        return {w * (2 * Int{gone} - 1), 2 * Int{units}};
      case Round::kExact:
      case Round::kCeil:
        break;
    }
    return {w * gone - 1, units};
  }

  /// The least e at which a past of `units` counts for at most `room`; units > room >= 0.
  template <class Int>
  [[nodiscard]] Int fades(std::int64_t units, std::int64_t room) const noexcept {
    const Fading least = fading<Int>(units, units - room);
    return floor_div(least.numerator, least.denominator) + 1;
  }

  /// The least e at which a past of `units` >= 1 may be forgotten.
  [[nodiscard]] Wide forgotten(std::int64_t units) const noexcept {
    return first_ ? Wide{window()} : fades<Wide>(units, 0);
  }

  void charge(State& state, std::int64_t t, Cost cost) const noexcept {
    if (state.count == 0 && state.previous == 0) {
      const std::int64_t gone = first_ ? 0 : floor_mod(t, window());
      state.start = static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(gone);
      state.last = saturating_add(t, window() - 1 - gone);
    }
    state.count = saturating_add(state.count, std::int64_t{cost});
  }

  Limit limit_;
  Options options_;
  Resolution clock_;
  Round round_ = Round::kFloor;
  bool first_ = false;
  bool attempted_ = false;
  bool narrow_ = false;  ///< counts stay within the limit, and no product passes 64 bits
};

}  // namespace ratereplay
