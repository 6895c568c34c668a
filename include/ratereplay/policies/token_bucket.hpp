// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/parameters.hpp"
#include "ratereplay/policies/arrival_time.hpp"

namespace ratereplay {

/// Token bucket: a bucket of B tokens, full at first; a request takes its cost in tokens and is
/// refused when they are not there.
///
/// * `refill=continuous` (the default): L tokens flow in per W without steps. A bucket that lacks x
///   tokens is one whose theoretical arrival time is x W/L ahead, so it decides exactly as gcra.
/// * `refill=interval`: L tokens drop in at once, up to B, at `start + W, start + 2W, ...`; start
/// is
///   the key's first charged request and the grid never restarts. Admits n iff `n <= tokens`.
/// * Wait: continuous, as gcra; interval, to the step that brings the missing tokens:
///   `start + (j + ceil((n - tokens)/L)) W`.
/// * Promises, continuous: at most `B + floor(t L/W)` units in any interval t; interval: at most
///   `B + L ceil(t/W)`.
/// * State: two numbers, 16 bytes. A call costs two multiplications (continuous), or a compare and
///   a division when more than one step has passed (interval).
/// * Rounding: none. `charge=attempted` lets tokens fall below 0, down to -2^63.
/// * Makes with any limit, window (ns) and capacity from 1 to 2^63 - 1.
/// * Source: docs/policies/token-bucket.md.
class TokenBucket {
 public:
  static constexpr std::string_view kName = "token-bucket";
  static constexpr std::array kOptions{Option::kCapacity, Option::kRefill, Option::kCharge,
                                       Option::kClock};

  /// What refill=interval knows of a key.
  struct Steps {
    std::int64_t tokens = 0;
    std::int64_t last = 0;  ///< last seen nanosecond before the next step, at most 2^63 - 1
    bool started = false;   ///< a key that is not is full

    friend bool operator==(const Steps&, const Steps&) = default;
  };

  /// One of the two is used.
  struct State {
    ArrivalTime::State continuous;
    Steps interval;

    /// Back to a fresh key.
    void reset() noexcept { *this = State{}; }
    friend bool operator==(const State&, const State&) = default;
  };

  /// std::invalid_argument: see the class.
  explicit TokenBucket(Limit limit, Options options = {})
      : limit_(limit),
        options_(checked(kName, limit, options, kOptions)),
        clock_(options.clock.value_or(Duration{1})),
        rule_(limit, options.capacity.value_or(limit.count), options.charge == Charge::kAttempted) {
    options_.capacity = rule_.capacity();
    options_.refill = options.refill.value_or(Refill::kContinuous);
    options_.charge = options.charge.value_or(Charge::kAdmitted);
    interval_ = options_.refill == Refill::kInterval;
    attempted_ = options_.charge == Charge::kAttempted;
  }

  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return rule_.capacity(); }
  [[nodiscard]] std::int64_t bytes_per_key() const noexcept { return 16; }
  [[nodiscard]] std::int64_t live_bytes(const State&) const noexcept { return bytes_per_key(); }

  /// See concept Policy.
  Outcome commit(State& state, Instant now, Cost cost) const noexcept {
    if (cost == 0) return Outcome::kAdmitted;
    const std::int64_t t = clock_.seen(now);
    return interval_ ? commit(state.interval, t, cost) : rule_.commit(state.continuous, t, cost);
  }

  /// See concept Policy.
  [[nodiscard]] Instant due(const State& state, Instant now, std::int64_t cost) const noexcept {
    if (cost == 0) return now;
    if (!interval_) return rule_.due(state.continuous, now, cost, clock_);
    return due(at(state.interval, clock_.seen(now)), now, cost);
  }

  /// See concept Policy.
  [[nodiscard]] Standing standing(const State& state, Instant now) const noexcept {
    if (!interval_) return rule_.standing(state.continuous, now, clock_);
    const Steps held = at(state.interval, clock_.seen(now));
    const std::int64_t remaining = std::max<std::int64_t>(0, held.tokens);
    if (remaining == capacity()) return {remaining, now, now};
    return {remaining, due(held, now, remaining + 1), due(held, now, capacity())};
  }

  /// Continuous: when the bucket is full. Interval: never once started, since the grid stays.
  [[nodiscard]] Instant expires_at(const State& state) const noexcept {
    if (state == State{}) return Instant::min();
    return interval_ ? Instant::max() : clock_.reaches(rule_.arrival(state.continuous));
  }

 private:
  Outcome commit(Steps& steps, std::int64_t t, Cost cost) const noexcept {
    const Steps held = at(steps, t);
    const bool admitted = cost <= held.tokens;
    if (admitted || attempted_) {
      steps = held;
      if (!held.started) steps.last = saturating_add(t, limit_.window.count() - 1);
      steps.tokens = saturate(Wide{held.tokens} - cost);
      steps.started = true;
    }
    if (admitted) return Outcome::kAdmitted;
    return cost > capacity() ? Outcome::kNever : Outcome::kRefused;
  }

  /// The steps as they stand at t.
  [[nodiscard]] Steps at(Steps steps, std::int64_t t) const noexcept {
    if (!steps.started) {
      steps.tokens = capacity();
      return steps;
    }
    if (t <= steps.last) return steps;
    const Wide window = limit_.window.count();
    const std::uint64_t late = elapsed(steps.last, t);
    const Wide passed = Wide{late} <= window ? 1 : ceil_div(Wide{late}, window);
    steps.tokens = saturate(std::min<Wide>(capacity(), steps.tokens + passed * limit_.count));
    steps.last = saturate(steps.last + passed * window);
    return steps;
  }

  /// Of the steps as they stand now.
  [[nodiscard]] Instant due(const Steps& held, Instant now, std::int64_t cost) const noexcept {
    if (cost <= held.tokens) return now;
    const Wide more = ceil_div(Wide{cost} - held.tokens, limit_.count);
    return std::max(now, clock_.reaches(Wide{held.last} + 1 + (more - 1) * limit_.window.count()));
  }

  Limit limit_;
  Options options_;
  Resolution clock_;
  ArrivalTime rule_;
  bool interval_ = false;
  bool attempted_ = false;
};

}  // namespace ratereplay
