// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/parameters.hpp"
#include "ratereplay/policies/arrival_time.hpp"

namespace ratereplay {

/// GCRA, the generic cell rate algorithm: a request is admitted when it does not come too early
/// against the theoretical arrival time (TAT) of the next one.
///
/// * With `base = max(TAT, now)` and `new = base + n W/L`: admits n iff `new - now <= B W/L`, B the
///   capacity, and then `TAT = new`.
/// * Wait: to `ceil(base + (n - B) W/L)`.
/// * Promises at most `B + floor(t L/W)` units in any interval t.
/// * State: TAT, 8 bytes. A call costs two multiplications and no division.
/// * Rounding: none, TAT is held in units of 1/L ns (see arrival_time.hpp).
/// * Makes with any limit, window (ns) and capacity from 1 to 2^63 - 1.
/// * Source: docs/policies/gcra.md; ITU-T I.371 (virtual scheduling).
class Gcra {
 public:
  static constexpr std::string_view kName = "gcra";
  static constexpr std::array kOptions{Option::kCapacity, Option::kCharge, Option::kClock};

  using State = ArrivalTime::State;

  /// std::invalid_argument: see the class.
  explicit Gcra(Limit limit, Options options = {})
      : limit_(limit),
        options_(checked(kName, limit, options, kOptions)),
        clock_(options.clock.value_or(Duration{1})),
        rule_(limit, options.capacity.value_or(limit.count), options.charge == Charge::kAttempted) {
    options_.capacity = rule_.capacity();
    options_.charge = options.charge.value_or(Charge::kAdmitted);
  }

  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return rule_.capacity(); }
  [[nodiscard]] std::int64_t bytes_per_key() const noexcept { return 8; }
  [[nodiscard]] std::int64_t live_bytes(const State&) const noexcept { return bytes_per_key(); }

  /// See concept Policy.
  Outcome commit(State& state, Instant now, Cost cost) const noexcept {
    if (cost == 0) return Outcome::kAdmitted;
    return rule_.commit(state, clock_.seen(now), cost);
  }

  /// See concept Policy.
  [[nodiscard]] Instant due(const State& state, Instant now, std::int64_t cost) const noexcept {
    if (cost == 0) return now;
    return rule_.due(state, now, cost, clock_);
  }

  /// See concept Policy.
  [[nodiscard]] Standing standing(const State& state, Instant now) const noexcept {
    return rule_.standing(state, now, clock_);
  }

  /// The arrival time.
  [[nodiscard]] Instant expires_at(const State& state) const noexcept {
    return state == State{} ? Instant::min() : clock_.reaches(rule_.arrival(state));
  }

 private:
  Limit limit_;
  Options options_;
  Resolution clock_;
  ArrivalTime rule_;
};

}  // namespace ratereplay
