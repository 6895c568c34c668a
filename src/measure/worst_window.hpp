// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "keys/key.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

inline constexpr std::uint64_t kNeverEnough = ~std::uint64_t{0};

/// The most units in a trailing window, and the first instant at which it holds them.
struct WindowPeak {
  std::uint64_t units = 0;  ///< 0 = no more than asked for
  std::int64_t at = 0;      ///< ns
};

/// Looks for the most units in any (t - window, t], if there are more than `beyond`; the search may
/// end once there are `enough`. `at` is in order; `cost` is empty when each is 1. window >= 1 ns.
[[nodiscard]] WindowPeak window_peak(std::span<const std::int64_t> at, std::span<const Cost> cost,
                                     Duration window, std::uint64_t beyond,
                                     std::uint64_t enough = kNeverEnough);

/// The first of the limits, which rise, that no such window passes; limits.size() if there is none.
[[nodiscard]] std::size_t first_to_hold(std::span<const std::uint64_t> limits,
                                        std::span<const std::int64_t> at,
                                        std::span<const Cost> cost, Duration window);

/// The most units admitted for one key in any (t - window, t], found from the admissions alone.
/// Keys may come in any order: more units win, then the earlier instant, then the lesser key bytes.
class WorstWindowSearch {
 public:
  /// No key has more than `most` units in a window.
  explicit WorstWindowSearch(Duration window, std::uint64_t most = kNeverEnough)
      : window_(window), most_(most) {}

  /// The admissions of one key in time order; `cost` is empty when each is 1.
  void add(const PackedKey& key, std::span<const std::int64_t> at, std::span<const Cost> cost) {
    if (cost.empty() && at.size() < units_) return;
    look(key, at, cost);
  }
  void merge(const WorstWindowSearch& other);

  [[nodiscard]] std::uint64_t admitted() const noexcept { return units_; }
  [[nodiscard]] Instant at() const noexcept { return Instant{Duration{at_}}; }
  [[nodiscard]] const PackedKey& key() const noexcept { return key_; }

 private:
  void look(const PackedKey& key, std::span<const std::int64_t> at, std::span<const Cost> cost);
  void offer(const PackedKey& key, std::uint64_t units, std::int64_t at);

  Duration window_;
  std::uint64_t most_;
  std::uint64_t units_ = 0;
  std::int64_t at_ = 0;
  PackedKey key_;
};

}  // namespace ratereplay
