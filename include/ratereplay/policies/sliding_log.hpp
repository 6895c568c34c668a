// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>

#include "ratereplay/arithmetic.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/parameters.hpp"

namespace ratereplay {

/// Sliding log: remembers when each admitted unit came and lets a unit in when fewer than L of them
/// are younger than W.
///
/// * Admits n at now iff `live + n <= L`; live are the units charged in `(now - W, now]`, so that
/// an
///   entry exactly W old has left; with `boundary=closed`, in `[now - W, now]`.
/// * Wait: `k = live + n - L` oldest units must leave, so to (time of the k-th oldest) + W, and 1
/// ns
///   more when closed.
/// * Promises at most L units in any window (t - W, t], [t - W, t] when closed; no other policy
/// does.
/// * State: here a ring of (time, units), one entry per distinct instant, that grows with what it
///   holds and never with the limit. As deployed: one 8-byte time per unit of the limit.
/// * A call costs a compare, and one more for each entry that has left since the last call; due()
/// of
///   n units walks as many entries as hold them.
/// * Rounding: none. Makes with any limit and window from 1 to 2^63 - 1 (ns).
/// * Source: docs/policies/sliding-log.md.
class SlidingLog {
 public:
  static constexpr std::string_view kName = "sliding-log";
  static constexpr std::array kOptions{Option::kBoundary, Option::kCharge, Option::kClock};

  /// All units that were charged at one instant (in several entries if 64 bits cannot count them).
  struct Entry {
    std::int64_t at = 0;
    std::int64_t units = 0;
  };

  /// The entries, oldest first, in a ring whose size is a power of two. The ring of one entry is
  /// here: keys whose requests are further apart than the window need no other memory.
  class State {
   public:
    State() noexcept = default;
    State(const State& other)
        : units_(other.units_),
          place_(other.place_),
          head_(other.head_),
          size_(other.size_),
          mask_(other.mask_) {
      if (mask_ == 0) return;
      place_.ring = new Entry[entries()];
      std::copy_n(other.place_.ring, entries(), place_.ring);
    }
    State(State&& other) noexcept { swap(other); }
    State& operator=(State other) noexcept {
      swap(other);
      return *this;
    }
    ~State() { release(); }

    /// Back to a fresh key; keeps the memory.
    void reset() noexcept { head_ = size_ = 0, units_ = 0; }

    /// Entries held.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Units held, which under charge=attempted can pass 64 bits.
    [[nodiscard]] Wide units() const noexcept { return units_; }
    /// The i-th oldest entry, from 0.
    [[nodiscard]] const Entry& operator[](std::size_t i) const noexcept {
      return ring()[(head_ + i) & mask_];
    }

    /// Asks memory for what is read and written next, if it is elsewhere.
    void prefetch() const noexcept {
      if (mask_ == 0) return;
      __builtin_prefetch(&place_.ring[head_], 1);
      __builtin_prefetch(&place_.ring[(head_ + size_) & mask_], 1);
    }

    /// Forgets the oldest entry; size() > 0.
    void pop() noexcept {
      units_ -= ring()[head_].units;
      head_ = (head_ + 1) & mask_;
      --size_;
    }

    /// Adds units at an instant not before the newest. Allocates when the ring is full.
    void push(std::int64_t at, std::int64_t units) {
      units_ += units;
      if (size_ != 0) {
        Entry& newest = ring()[(head_ + size_ - 1) & mask_];
        if (newest.at == at && newest.units <= kInt64Max - units) {
          newest.units += units;
          return;
        }
      }
      if (size_ == entries()) grow();
      ring()[(head_ + size_) & mask_] = {at, units};
      ++size_;
    }

   private:
    [[nodiscard]] std::size_t entries() const noexcept { return std::size_t{mask_} + 1; }
    [[nodiscard]] Entry* ring() noexcept { return mask_ == 0 ? &place_.one : place_.ring; }
    [[nodiscard]] const Entry* ring() const noexcept {
      return mask_ == 0 ? &place_.one : place_.ring;
    }

    void grow() {
      if (entries() == kMostEntries) throw std::bad_alloc();
      auto* const grown = new Entry[2 * entries()];
      std::rotate_copy(ring(), ring() + head_, ring() + entries(), grown);
      const auto mask = static_cast<std::uint32_t>(2 * entries() - 1);
      release();
      place_.ring = grown;
      mask_ = mask;
      head_ = 0;
    }
    void release() noexcept {
      if (mask_ != 0) delete[] place_.ring;
    }
    void swap(State& other) noexcept {
      std::swap(units_, other.units_);
      std::swap(place_, other.place_);
      std::swap(head_, other.head_);
      std::swap(size_, other.size_);
      std::swap(mask_, other.mask_);
    }

    // So that a key's state and latest instant fit one cache line.
    static constexpr std::size_t kMostEntries = std::size_t{1} << 31;
    union Place {
      Entry one{};  ///< when there is room for one
      Entry* ring;
    };
    Wide units_ = 0;
    Place place_;
    std::uint32_t head_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t mask_ = 0;  ///< entries of the ring less 1
  };

  /// std::invalid_argument: see the class.
  explicit SlidingLog(Limit limit, Options options = {})
      : limit_(limit),
        options_(checked(kName, limit, options, kOptions)),
        clock_(options.clock.value_or(Duration{1})) {
    options_.boundary = options.boundary.value_or(Boundary::kHalfOpen);
    options_.charge = options.charge.value_or(Charge::kAdmitted);
    attempted_ = options_.charge == Charge::kAttempted;
    life_ = static_cast<std::uint64_t>(limit.window.count()) +
            (options_.boundary == Boundary::kClosed ? 1 : 0);
  }

  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return limit_.count; }
  /// 8 bytes for each unit of the limit, whether or not the key is busy.
  [[nodiscard]] std::int64_t bytes_per_key() const noexcept {
    return saturate(Wide{8} * limit_.count);
  }
  /// 8 bytes for each unit held; under charge=attempted it can pass bytes_per_key().
  [[nodiscard]] std::int64_t live_bytes(const State& state) const noexcept {
    return state.units() > kInt64Max / 8 ? kInt64Max : saturate(8 * state.units());
  }

  /// See concept CalmPolicy.
  [[nodiscard]] Duration calm_window() const noexcept {
    return Duration{saturate(Wide{life_} + clock_.step() - 1)};
  }

  /// See concept Policy. Throws std::bad_alloc only.
  Outcome commit(State& state, Instant now, Cost cost) const {
    if (cost == 0) return Outcome::kAdmitted;
    const std::int64_t t = clock_.seen(now);
    while (state.size() != 0 && has_left(state[0], t)) state.pop();
    if (state.units() <= limit_.count - std::int64_t{cost}) {
      state.push(t, cost);
      return Outcome::kAdmitted;
    }
    if (attempted_) state.push(t, cost);
    return cost > limit_.count ? Outcome::kNever : Outcome::kRefused;
  }

  /// See concept Policy.
  [[nodiscard]] Instant due(const State& state, Instant now, std::int64_t cost) const noexcept {
    const Live live = live_at<Wide>(state, clock_.seen(now));
    const Wide leaving = live.units + cost - limit_.count;
    return cost == 0 || leaving <= 0 ? now : leave_at(state, live, leaving);
  }

  /// See concept Policy.
  [[nodiscard]] Standing standing(const State& state, Instant now) const noexcept {
    return attempted_ ? standing<Wide>(state, now) : standing<std::int64_t>(state, now);
  }

  /// Whether a unit charged at `charged` counts no longer at `now`, which is not before.
  [[nodiscard]] bool has_left(Instant charged, Instant now) const noexcept {
    return elapsed(clock_.seen(charged), clock_.seen(now)) >= life_;
  }

  /// The first instant at which it does not.
  [[nodiscard]] Instant leaves_at(Instant charged) const noexcept {
    return reaches_end(clock_.seen(charged));
  }

  /// When the newest entry has left.
  [[nodiscard]] Instant expires_at(const State& state) const noexcept {
    return state.size() == 0 ? Instant::min() : reaches_end(state[state.size() - 1].at);
  }

 private:
  // The units of a key are counted in 128 bits, or in 64 where they stay within the limit.
  template <class Int>
  struct Live {
    std::size_t first;
    Int units;
  };

  [[nodiscard]] bool has_left(const Entry& entry, std::int64_t t) const noexcept {
    return elapsed(entry.at, t) >= life_;
  }

  /// When what was charged at seen time t has left.
  [[nodiscard]] Instant reaches_end(std::int64_t t) const noexcept {
    return clock_.reaches(later(t, life_));
  }

  /// When so many of the live units have left, 1 to all.
  template <class Int>
  [[nodiscard]] Instant leave_at(const State& state, const Live<Int>& live,
                                 Int units) const noexcept {
    if (units == live.units) return expires_at(state);
    std::size_t i = live.first;
    while (units > state[i].units) units -= state[i++].units;
    return reaches_end(state[i].at);
  }

  template <class Int>
  [[nodiscard]] Standing standing(const State& state, Instant now) const noexcept {
    const Live live = live_at<Int>(state, clock_.seen(now));
    if (live.units == 0) return {limit_.count, now, now};
    const Int over = live.units - limit_.count;
    const std::int64_t remaining = over >= 0 ? 0 : static_cast<std::int64_t>(-over);
    return {remaining, leave_at<Int>(state, live, over + remaining + 1), expires_at(state)};
  }

  template <class Int>
  [[nodiscard]] Live<Int> live_at(const State& state, std::int64_t t) const noexcept {
    Live<Int> live{0, static_cast<Int>(state.units())};
    while (live.first != state.size() && has_left(state[live.first], t))
      live.units -= state[live.first++].units;
    return live;
  }

  Limit limit_;
  Options options_;
  Resolution clock_;
  std::uint64_t life_ = 0;  ///< an entry counts while it is younger than this, in ns
  bool attempted_ = false;
};

}  // namespace ratereplay
