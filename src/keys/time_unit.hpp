// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "divisor.hpp"

namespace ratereplay {

/// The coarsest of 1 min, 1 s, 1 ms, 1 us, 100 ns and 1 ns that all instants seen are multiples of.
class TimeUnit {
 public:
  /// One minute alone, as a stamp like 12:00:00, does not show that seconds are missing: it takes
  /// `several` stamps.
  [[nodiscard]] std::int64_t nanos(bool several) const noexcept {
    return static_cast<std::int64_t>(kDivisors[index_ == 0 && !several ? 1 : index_].value());
  }

  static constexpr TimeUnit nanosecond() noexcept {
    TimeUnit unit;
    unit.index_ = kDivisors.size() - 1;
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
  [[nodiscard]] bool coarser_than(TimeUnit other) const noexcept { return index_ < other.index_; }
  void include(TimeUnit other) noexcept {
    if (other.index_ > index_) index_ = other.index_;
  }

  [[nodiscard]] std::uint64_t quotient(std::uint64_t span) const noexcept {
    return kDivisors[index_].quotient(span);
  }

 private:
  static constexpr std::array<Divisor, 6> kDivisors = {
      Divisor(60'000'000'000), Divisor(1'000'000'000), Divisor(1'000'000),
      Divisor(1'000),          Divisor(100),           Divisor(1)};

  static bool divides(std::size_t index, std::int64_t at) noexcept {
    const auto size = static_cast<std::uint64_t>(at < 0 ? -(at + 1) : at) + (at < 0 ? 1 : 0);
    return kDivisors[index].quotient(size) * kDivisors[index].value() == size;
  }

  std::size_t index_ = 0;
};

}  // namespace ratereplay
