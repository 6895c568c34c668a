// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ratereplay/arithmetic.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// What makes a class a policy. A policy object holds parameters only and never changes; what it
/// knows of a key is a `State`, which starts default-constructed and which `commit` alone changes.
///
/// Construction: `P(Limit, Options)`. std::invalid_argument, naming the parameter and its bound,
/// when an option is not among `kOptions` or a product would not fit the arithmetic.
///
/// * `State::reset()`   makes it a fresh key's again and keeps its memory, so that one state can
/// serve
///                      many keys in turn without allocating
/// * `kName`            algorithm name of the command line, e.g. "sliding-log"
/// * `kOptions`         the options it takes, in canonical order
/// * `limit()`, `options()`   what it was made with; every option it takes is present in options(),
///                      `clock` only when one was given
/// * `capacity()`       most units granted at one instant to a fresh key
/// * `bytes_per_key()`  bytes of a key's numbers as deployed, without key and map around it;
///                      saturates at 2^63 - 1
/// * `commit(state, now, cost)`  the rule: decides and, if it must, charges. `now` must not be
///                      earlier than any instant this state has been given; `admit` below sees to
///                      it
/// * `due(state, now, cost)`  the first instant >= now at which `cost` would be admitted if nothing
///                      else arrived, in true time (not the seen time of `clock`). cost may be up
///                      to capacity(); beyond 2^63 - 1 ns it is Instant::max()
/// * `standing(state, now)`  the largest cost that would be admitted now, and when one unit more
///                      and when capacity() would be, as `due` says
/// * `expires_at(state)`  the first instant from which the state may be forgotten, that is, from
///                      which every answer equals that of a fresh key; Instant::min() for a fresh
///                      state, Instant::max() when it never may
/// * `live_bytes(state)`  bytes of the numbers that the state holds now (the log: 8 per unit held;
///                      all others: bytes_per_key())
template <class P>
concept Policy = requires(const P policy, typename P::State state, const typename P::State& held,
                          Instant now, Cost cost, std::int64_t units) {
  requires std::constructible_from<P, Limit, Options>;
  requires std::default_initializable<typename P::State> && std::copyable<typename P::State>;
  { state.reset() };
  { P::kName } -> std::convertible_to<std::string_view>;
  { std::span<const Option>(P::kOptions) };
  { policy.limit() } -> std::convertible_to<Limit>;
  { policy.options() } -> std::convertible_to<Options>;
  { policy.capacity() } -> std::same_as<std::int64_t>;
  { policy.bytes_per_key() } -> std::same_as<std::int64_t>;
  { policy.commit(state, now, cost) } -> std::same_as<Outcome>;
  { policy.due(held, now, units) } -> std::same_as<Instant>;
  { policy.standing(held, now) } -> std::same_as<Standing>;
  { policy.expires_at(held) } -> std::same_as<Instant>;
  { policy.live_bytes(held) } -> std::same_as<std::int64_t>;
};

/// A policy whose admitted requests may wait in a queue: `delay(state, now)` is the time until the
/// first unit of a request admitted at `now` leaves, read from the state before the request.
template <class P>
concept QueueingPolicy =
    Policy<P> && requires(const P policy, const typename P::State& held, Instant now) {
      { policy.delay(held, now) } -> std::same_as<Duration>;
    };

/// A policy whose state does not tell its limit: while no trailing window (t - calm_window(), t]
/// holds more units than the limit, it admits everything, and what it then knows of a key is the
/// same for every such limit, and nothing from calm_window() after its last charge on.
/// Duration::max() when there is no such length. Whoever replays many limits can do the work once.
template <class P>
concept CalmPolicy = Policy<P> && requires(const P policy) {
  { policy.calm_window() } -> std::same_as<Duration>;
};

/// Default resolution of waits.
inline constexpr Duration kDefaultTick = std::chrono::milliseconds{1};

/// The wait from `now` to `due`, rounded up to whole ticks (tick >= 1 ns). The greatest Duration
/// when that passes 2^63 - 1 ns, and when due is Instant::max(), which stands for any instant
/// beyond.
[[nodiscard]] constexpr Duration wait_until(Instant now, Instant due, Duration tick) noexcept {
  if (due == Instant::max()) return Duration::max();
  if (due <= now) return Duration{0};
  const Wide wait = Wide{due.time_since_epoch().count()} - now.time_since_epoch().count();
  return Duration{saturate(ceil_div(wait, tick.count()) * tick.count())};
}

/// A key's state together with the latest instant it has been asked at.
template <Policy P>
struct Tracked {
  typename P::State state{};
  Instant latest = Instant::min();
};

/// Decides one request and charges it. A `now` earlier than one already seen gets the whole answer
/// as for a call at the latest instant seen; retryAfter then counts from that instant.
template <Policy P>
Decision admit(const P& policy, Tracked<P>& key, Instant now, Cost cost,
               Duration tick = kDefaultTick) {
  now = key.latest = std::max(now, key.latest);
  Decision decision;
  if constexpr (QueueingPolicy<P>) decision.delay = policy.delay(key.state, now);
  decision.outcome = policy.commit(key.state, now, cost);
  if (!decision.admitted() || cost == 0) decision.delay = Duration{0};
  const Standing standing = policy.standing(key.state, now);
  decision.remaining = standing.remaining;
  decision.full_at = standing.full_at;
  if (standing.remaining < policy.capacity()) decision.reset_at = standing.reset_at;
  if (decision.outcome == Outcome::kNever) {
    decision.retry_after.reset();
  } else if (decision.outcome == Outcome::kRefused) {
    const bool next = cost == standing.remaining + 1;
    const Instant due = next ? standing.reset_at : policy.due(key.state, now, cost);
    decision.retry_after = wait_until(now, due, tick);
  }
  return decision;
}

/// What admit would answer, leaving the key as it is. Copies the state: O(entries) for the log.
template <Policy P>
[[nodiscard]] Decision peek(const P& policy, Tracked<P> key, Instant now, Cost cost,
                            Duration tick = kDefaultTick) {
  return admit(policy, key, now, cost, tick);
}

}  // namespace ratereplay
