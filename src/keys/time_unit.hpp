// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ratereplay {

/// The coarsest of 1 min, 1 s, 1 ms, 1 us, 100 ns and 1 ns that all instants seen are multiples of.
class TimeUnit {
 public:
  /// One minute alone, as a stamp like 12:00:00, does not show that seconds are missing: it takes
  /// `several` stamps.
  [[nodiscard]] std::int64_t nanos(bool several) const noexcept {
    return kUnits[index_ == 0 && !several ? 1 : index_];
  }

  static constexpr TimeUnit nanosecond() noexcept {
    TimeUnit unit;
    unit.index_ = kUnits.size() - 1;
    return unit;
  }
  /// The coarsest of them that divides `nanos`, which is at least 1.
  static TimeUnit dividing(std::int64_t nanos) noexcept {
    TimeUnit unit;
    unit.include(nanos);
    return unit;
  }

  void include(std::int64_t at) noexcept {
    while (!divides(index_, at)) ++index_;
  }
  /// The same for an instant that is known to be a multiple of `known`.
  void include(std::int64_t at, TimeUnit known) noexcept {
    if (index_ < known.index_) include(at);
  }
  void include(TimeUnit other) noexcept {
    if (other.index_ > index_) index_ = other.index_;
  }

  [[nodiscard]] std::uint64_t quotient(std::uint64_t span) const noexcept {
    return quotient(span, index_);
  }

 private:
  static constexpr std::array<std::int64_t, 6> kUnits = {60'000'000'000, 1'000'000'000, 1'000'000,
                                                         1'000,          100,           1};

  /// Constant divisors, so that no row pays a division.
  static bool divides(std::size_t index, std::int64_t at) noexcept {
    switch (index) {
      case 0:
        return at % kUnits[0] == 0;
      case 1:
        return at % kUnits[1] == 0;
      case 2:
        return at % kUnits[2] == 0;
      case 3:
        return at % kUnits[3] == 0;
      case 4:
        return at % kUnits[4] == 0;
      default:
        return true;
    }
  }

  static std::uint64_t quotient(std::uint64_t span, std::size_t index) noexcept {
    switch (index) {
      case 0:
        return span / static_cast<std::uint64_t>(kUnits[0]);
      case 1:
        return span / static_cast<std::uint64_t>(kUnits[1]);
      case 2:
        return span / static_cast<std::uint64_t>(kUnits[2]);
      case 3:
        return span / static_cast<std::uint64_t>(kUnits[3]);
      case 4:
        return span / static_cast<std::uint64_t>(kUnits[4]);
      default:
        return span;
    }
  }

  std::size_t index_ = 0;
};

}  // namespace ratereplay
