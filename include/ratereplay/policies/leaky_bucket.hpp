// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/parameters.hpp"
#include "ratereplay/policies/arrival_time.hpp"

namespace ratereplay {

/// Leaky bucket: admitted units queue and leave one every W/L; a request that would overflow the
/// bucket is refused.
///
/// * Decides exactly as gcra with the same capacity B. At rest one unit leaves at once and B - 1
/// can
///   wait.
/// * `mode=queue` (the default): an admitted request also has a delay, `max(0, ceil(TAT) - now)`
///   with the TAT before it, when its first unit leaves. With `clock=`, now is the seen time.
/// * `mode=meter`: the level alone is kept; nothing waits, every delay is 0.
/// * Wait when refused: as gcra, to `ceil(max(TAT, now) + (n - B) W/L)`.
/// * Promises at most `B + floor(t L/W)` units admitted in any interval t; units leave W/L apart.
/// * State: one number, 8 bytes, and the queue itself. A call costs two multiplications.
/// * Rounding: none but that of the delay, up to the next ns.
/// * Makes with any limit, window (ns) and capacity from 1 to 2^63 - 1.
/// * Source: docs/policies/leaky-bucket.md.
class LeakyBucket {
 public:
  static constexpr std::string_view kName = "leaky-bucket";
  static constexpr std::array kOptions{Option::kCapacity, Option::kMode, Option::kCharge,
                                       Option::kClock};

  using State = ArrivalTime::State;

  /// std::invalid_argument: see the class.
  explicit LeakyBucket(Limit limit, Options options = {})
      : limit_(limit),
        options_(checked(kName, limit, options, kOptions)),
        clock_(options.clock.value_or(Duration{1})),
        rule_(limit, options.capacity.value_or(limit.count), options.charge == Charge::kAttempted) {
    options_.capacity = rule_.capacity();
    options_.mode = options.mode.value_or(Mode::kQueue);
    options_.charge = options.charge.value_or(Charge::kAdmitted);
    queues_ = options_.mode == Mode::kQueue;
  }

  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return rule_.capacity(); }
  /// The level; the queue comes on top.
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

  /// When the bucket is empty.
  [[nodiscard]] Instant expires_at(const State& state) const noexcept {
    return state == State{} ? Instant::min() : clock_.reaches(rule_.arrival(state));
  }

  /// See concept QueueingPolicy; 0 in mode=meter. Saturates at 2^63 - 1 ns.
  [[nodiscard]] Duration delay(const State& state, Instant now) const noexcept {
    return Duration{queues_ ? later(0, rule_.wait(state, clock_.seen(now))) : 0};
  }

  /// Units that wait at `now`, read from the state after a request; 0 in mode=meter.
  [[nodiscard]] std::int64_t queued(const State& state, Instant now) const noexcept {
    if (!queues_) return 0;
    return std::max<std::int64_t>(0, later(-1, rule_.backlog(state, clock_.seen(now))));
  }

 private:
  Limit limit_;
  Options options_;
  Resolution clock_;
  ArrivalTime rule_;
  bool queues_ = true;
};

}  // namespace ratereplay
