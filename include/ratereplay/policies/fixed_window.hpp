// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "ratereplay/arithmetic.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/parameters.hpp"

namespace ratereplay {

/// Fixed window: at most L units in each window of W, counted from zero again when the next begins.
///
/// * Admits n at now iff `count(k) + n <= L`, where `k = floor(now / W)`, towards minus infinity.
/// * `anchor=first`: no grid; a window opens at the first charged request s after the last one
///   closed and holds `[s, s + W)`; with `boundary=closed`, `[s, s + W]`.
/// * Wait: to the end of the window, so `s + W + 1 ns` when it is closed.
/// * Promises at most L units per window, hence up to 2L in a trailing window (t - W, t].
/// * State: window and count, 16 bytes. A call costs a compare; a division only when a window opens
///   that is not the next one.
/// * Rounding: none. Makes with any limit and window from 1 to 2^63 - 1 (ns); refuses
///   `boundary=closed` without `anchor=first`.
/// * Source: docs/policies/fixed-window.md.
class FixedWindow {
 public:
  static constexpr std::string_view kName = "fixed-window";
  static constexpr std::array kOptions{Option::kAnchor, Option::kBoundary, Option::kCharge,
                                       Option::kClock};

  struct State {
    std::int64_t last = 0;   ///< last seen nanosecond of the window; meaningful while count > 0
    std::int64_t count = 0;  ///< units charged in the window, saturating

    /// Back to a fresh key.
    void reset() noexcept { *this = State{}; }
    friend bool operator==(const State&, const State&) = default;
  };

  /// std::invalid_argument: see the class.
  explicit FixedWindow(Limit limit, Options options = {})
      : limit_(limit),
        options_(checked(kName, limit, options, kOptions)),
        clock_(options.clock.value_or(Duration{1})) {
    options_.anchor = options.anchor.value_or(Anchor::kEpoch);
    options_.boundary = options.boundary.value_or(Boundary::kHalfOpen);
    options_.charge = options.charge.value_or(Charge::kAdmitted);
    first_ = options_.anchor == Anchor::kFirst;
    attempted_ = options_.charge == Charge::kAttempted;
    const bool closed = options_.boundary == Boundary::kClosed;
    if (closed && !first_) throw std::invalid_argument("boundary=closed needs anchor=first");
    // The last nanosecond of a window is this far behind its first.
    reach_ = closed ? limit.window.count() : limit.window.count() - 1;
  }

  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return limit_.count; }
  [[nodiscard]] std::int64_t bytes_per_key() const noexcept { return 16; }
  [[nodiscard]] std::int64_t live_bytes(const State&) const noexcept { return bytes_per_key(); }

  /// See concept CalmPolicy.
  [[nodiscard]] Duration calm_window() const noexcept {
    return Duration{saturate(Wide{reach_} + clock_.step())};
  }

  /// See concept Policy.
  Outcome commit(State& state, Instant now, Cost cost) const noexcept {
    if (cost == 0) return Outcome::kAdmitted;
    const std::int64_t t = clock_.seen(now);
    const std::int64_t count = count_at(state, t);
    if (cost <= limit_.count - count) {
      charge(state, t, count, cost);
      return Outcome::kAdmitted;
    }
    if (attempted_) charge(state, t, count, cost);
    return cost > limit_.count ? Outcome::kNever : Outcome::kRefused;
  }

  /// See concept Policy.
  [[nodiscard]] Instant due(const State& state, Instant now, std::int64_t cost) const noexcept {
    if (cost == 0 || cost <= limit_.count - count_at(state, clock_.seen(now))) return now;
    return end(state);
  }

  /// See concept Policy.
  [[nodiscard]] Standing standing(const State& state, Instant now) const noexcept {
    const std::int64_t count = count_at(state, clock_.seen(now));
    if (count == 0) return {limit_.count, now, now};
    return {std::max<std::int64_t>(0, limit_.count - count), end(state), end(state)};
  }

  /// The end of the window.
  [[nodiscard]] Instant expires_at(const State& state) const noexcept {
    return state.count == 0 ? Instant::min() : end(state);
  }

 private:
  [[nodiscard]] static std::int64_t count_at(const State& state, std::int64_t t) noexcept {
    return t > state.last ? 0 : state.count;
  }

  [[nodiscard]] Instant end(const State& state) const noexcept {
    return clock_.reaches(Wide{state.last} + 1);
  }

  void charge(State& state, std::int64_t t, std::int64_t count, Cost cost) const noexcept {
    if (count == 0) state.last = last_of_window(state, t);
    state.count = saturating_add(count, std::int64_t{cost});
  }

  [[nodiscard]] std::int64_t last_of_window(const State& previous, std::int64_t t) const noexcept {
    if (first_) return saturating_add(t, reach_);
    const std::int64_t window = limit_.window.count();
    if (previous.count != 0 && elapsed(previous.last, t) <= static_cast<std::uint64_t>(window))
      return saturating_add(previous.last, window);
    return saturating_add(t, reach_ - floor_mod(t, window));
  }

  Limit limit_;
  Options options_;
  Resolution clock_;
  std::int64_t reach_ = 0;
  bool first_ = false;
  bool attempted_ = false;
};

}  // namespace ratereplay
