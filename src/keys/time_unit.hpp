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

  void include(std::int64_t at) noexcept {
    while (!divides(kUnits[index_], at)) ++index_;
  }
  void include(TimeUnit other) noexcept {
    if (other.index_ > index_) index_ = other.index_;
  }

  [[nodiscard]] std::uint64_t quotient(std::uint64_t span) const noexcept {
    return quotient(span, kUnits[index_]);
  }

 private:
  static constexpr std::int64_t kMinute = 60'000'000'000;
  static constexpr std::array<std::int64_t, 6> kUnits = {kMinute, 1'000'000'000, 1'000'000,
                                                         1'000,   100,           1};

  /// Constant divisors, so that no row pays a division.
  static bool divides(std::int64_t unit, std::int64_t at) noexcept {
    switch (unit) {
      case kMinute:
        return at % kMinute == 0;
      case 1'000'000'000:
        return at % 1'000'000'000 == 0;
      case 1'000'000:
        return at % 1'000'000 == 0;
      case 1'000:
        return at % 1'000 == 0;
      case 100:
        return at % 100 == 0;
      default:
        return true;
    }
  }

  static std::uint64_t quotient(std::uint64_t span, std::int64_t unit) noexcept {
    switch (unit) {
      case kMinute:
        return span / kMinute;
      case 1'000'000'000:
        return span / 1'000'000'000;
      case 1'000'000:
        return span / 1'000'000;
      case 1'000:
        return span / 1'000;
      case 100:
        return span / 100;
      default:
        return span;
    }
  }

  std::size_t index_ = 0;
};

}  // namespace ratereplay
