// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace ratereplay {

/// A 32-bit mixing function: equal numbers on every platform.
[[nodiscard]] constexpr std::uint32_t mix32(std::uint32_t x) noexcept {
  x ^= x >> 16U;
  x *= 0x21f0aaadU;
  x ^= x >> 15U;
  x *= 0x735a2d97U;
  x ^= x >> 15U;
  return x;
}

/// xoshiro128**: 2^128 - 1 words of 32 bits before it repeats. Source: Blackman and Vigna,
/// "Scrambled linear pseudorandom number generators", 2021.
class Random {
 public:
  /// The four words of the state are mix32 of a counter that starts at the seed and is advanced by
  /// 0x9e3779b9 before each.
  explicit constexpr Random(std::uint32_t seed) noexcept {
    for (std::uint32_t& word : state_) {
      seed += 0x9e3779b9U;
      word = mix32(seed);
    }
  }

  /// Uniform over 0 to 2^32 - 1.
  constexpr std::uint32_t next() noexcept {
    const std::uint32_t word = std::rotl(state_[1] * 5U, 7) * 9U;
    const std::uint32_t shifted = state_[1] << 9U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 11);
    return word;
  }

  /// Uniform over 0 to n - 1, for n from 1 to 2^32. Uneven by at most n / 2^32.
  constexpr std::uint64_t below(std::uint64_t n) noexcept { return (next() * n) >> 32U; }

 private:
  std::array<std::uint32_t, 4> state_{};
};

}  // namespace ratereplay
