// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace ratereplay {

/// Division by a number that stays the same: a multiplication and a shift (Granlund and Montgomery,
/// "Division by Invariant Integers using Multiplication", PLDI 1994), exact for every dividend.
class Divisor {
 public:
  /// 1 <= divisor < 2^63.
  explicit constexpr Divisor(std::uint64_t divisor) noexcept
      : divisor_(divisor),
        shift_(static_cast<unsigned>(std::bit_width(divisor - 1))),
        factor_(static_cast<std::uint64_t>((Wide{1} << (63 + shift_)) / divisor + 1)) {}

  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return divisor_; }

  /// dividend / divisor, rounded down.
  [[nodiscard]] constexpr std::uint64_t quotient(std::uint64_t dividend) const noexcept {
    // The factor is good for 63 bits.
    if (dividend >> 63 != 0) [[unlikely]]
      return dividend / divisor_;
    return static_cast<std::uint64_t>(Wide{factor_} * (dividend << 1) >> 64) >> shift_;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t divisor_;
  unsigned shift_;
  std::uint64_t factor_;
};

}  // namespace ratereplay
