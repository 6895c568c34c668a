// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "divisor.hpp"
#include "measure/live_state.hpp"
#include "measure/seek.hpp"
#include "ratereplay/arithmetic.hpp"
#include "ratereplay/policies/sliding_counter.hpp"
#include "ratereplay/policies/sliding_log.hpp"

/// The shorter way for what most traces ask: requests for one unit each, told whole stretches at
/// once. The tests hold it to the policies' own commit.
namespace ratereplay {

/// Where an instant lies in the windows of an epoch's grid.
class EpochGrid {
 public:
  explicit EpochGrid(Duration window) : by_window_(static_cast<std::uint64_t>(window.count())) {}

  [[nodiscard]] std::int64_t window() const noexcept {
    return static_cast<std::int64_t>(by_window_.value());
  }
  /// ns of its window that have gone at `at`, in ns.
  [[nodiscard]] std::int64_t gone(std::int64_t at) const noexcept {
    if (at < 0) return floor_mod(at, window());
    const auto ns = static_cast<std::uint64_t>(at);
    return static_cast<std::int64_t>(ns - by_window_.quotient(ns) * by_window_.value());
  }

 private:
  Divisor by_window_;
};

[[nodiscard]] inline bool are_plain(std::span<const std::int64_t> at) noexcept {
  return at.front() > -kPlainTime && at.back() < kPlainTime;
}

/// Whether a policy sees each instant as it is, in a window of plain length that no request moves.
template <class P>
[[nodiscard]] bool is_plain(const P& policy) noexcept {
  return !policy.options().clock && policy.options().anchor != Anchor::kFirst &&
         policy.limit().count < kPlainTime && policy.limit().window.count() < kPlainTime;
}

/// Replays the requests of a key at the plain instants `at` through a plain policy that charges
/// what it admits. Writes the instants of the admitted down, from `admitted` on, and returns how
/// many those are; each stretch that is refused until the same instant is told to
/// refuse(first, end, due).
template <class Refuse>
std::size_t replay_units(const SlidingLog& log, std::span<const std::int64_t> at,
                         std::int64_t* admitted, const Refuse& refuse) {
  const auto limit = static_cast<std::size_t>(log.limit().count);
  const std::int64_t life = log.leaves_at(Instant{}).time_since_epoch().count();
  std::size_t count = std::min(limit, at.size());
  std::copy_n(at.begin(), count, admitted);
  for (std::size_t i = count; i < at.size();) {
    const std::int64_t due = admitted[count - limit] + life;
    if (at[i] >= due) {
      admitted[count++] = at[i++];
      continue;
    }
    const std::size_t end = seek(at, i + 1, due);
    refuse(i, end, due);
    i = end;
  }
  return count;
}

template <class Refuse>
std::size_t replay_units(const SlidingCounter& counter, const EpochGrid& grid,
                         std::span<const std::int64_t> at, std::int64_t* admitted,
                         const Refuse& refuse) {
  const std::int64_t limit = counter.limit().count;
  const std::int64_t window = grid.window();
  const std::int64_t full_fades = SlidingCounter::Fades(counter, limit).at();
  std::size_t count = 0;
  std::int64_t start = 0;    // of the window at hand
  std::int64_t charged = 0;  // in it
  for (std::size_t i = 0; i < at.size();) {
    const std::int64_t next = at[i] - grid.gone(at[i]);
    const std::int64_t past = next == start + window ? charged : 0;
    start = next;
    const std::size_t end = seek(at, i + 1, start + window);
    charged = std::min(static_cast<std::int64_t>(end - i), limit - past);
    std::copy_n(at.begin() + static_cast<std::ptrdiff_t>(i), charged, admitted + count);
    i += static_cast<std::size_t>(charged);
    count += static_cast<std::size_t>(charged);
    if (i == end) continue;
    if (past > 0) {
      // Each further unit takes the place of one of the past.
      SlidingCounter::Fades fades(counter, past);
      while (i < end && charged < limit) {
        const std::int64_t due = start + fades.at();
        if (at[i] >= due) {
          admitted[count++] = at[i++];
          ++charged;
          fades.next_unit();
          continue;
        }
        const std::size_t stop = seek(at.first(end), i + 1, due);
        refuse(i, stop, due);
        i = stop;
      }
    }
    if (i == end) continue;
    refuse(i, end, start + window + full_fades);
    i = end;
  }
  return count;
}

}  // namespace ratereplay
