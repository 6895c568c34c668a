// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "report/number_text.hpp"

namespace ratereplay {

/// Writes what write_count and write_ms write, faster where many numbers are small or close to each
/// other: three digits are found in a table, and those before the last three are kept.
class NearNumbers {
 public:
  static char* count(char* out, std::uint64_t value) noexcept {
    if (value >= kThousand) return write_count(out, value);
    std::memcpy(out, &kShort[value], sizeof(Short));
    return out + kShort[value].size;
  }

  /// A count that is close to the one before.
  char* near_count(char* out, std::uint64_t value) noexcept {
    if (value < kThousand || value >= kKeptEnd * kThousand) return count(out, value);
    const std::uint64_t upper = value / kThousand;
    return three(kept(out, counts_, upper), static_cast<std::uint32_t>(value - upper * kThousand));
  }

  /// Of an instant: its seconds are kept.
  char* ms(char* out, std::int64_t nanoseconds) noexcept {
    if (nanoseconds < static_cast<std::int64_t>(kSecond)) return write_ms(out, nanoseconds);
    const auto value = static_cast<std::uint64_t>(nanoseconds);
    const std::uint64_t second = value / kSecond;
    const auto rest = static_cast<std::uint32_t>(value % kSecond);
    out = kept(out, seconds_[second % seconds_.size()], second);
    const std::uint32_t ms = rest / kMillion;
    const std::uint32_t fraction = rest - ms * kMillion;
    out = three(out, ms);
    if (fraction == 0) return out;
    *out++ = '.';
    const std::uint32_t upper = fraction / kThousand;
    const std::uint32_t lower = fraction - upper * kThousand;
    three(three(out, upper), lower);
    return out + (lower != 0 ? 3U + kThree[lower].significant : kThree[upper].significant);
  }

 private:
  static constexpr std::uint32_t kThousand = 1000;
  static constexpr std::uint32_t kMillion = 1'000'000;
  static constexpr std::uint64_t kSecond = 1'000'000'000;
  static constexpr std::uint64_t kKeptEnd = 10'000'000'000'000'000;  ///< 16 digits

  /// 000 to 999.
  struct Three {
    std::array<char, 3> digits;
    std::uint8_t significant;  ///< without zeros at the end
  };
  static constexpr auto kThree = [] {
    std::array<Three, kThousand> all{};
    for (unsigned value = 0; value < kThousand; ++value) {
      const unsigned a = value / 100;
      const unsigned b = value / 10 % 10;
      const unsigned c = value % 10;
      all[value] = {
          {static_cast<char>('0' + a), static_cast<char>('0' + b), static_cast<char>('0' + c)},
          static_cast<std::uint8_t>(c != 0   ? 3
                                    : b != 0 ? 2
                                    : a != 0 ? 1
                                             : 0)};
    }
    return all;
  }();

  /// 0 to 999.
  struct Short {
    std::array<char, 3> digits;
    std::uint8_t size;
  };
  static constexpr auto kShort = [] {
    std::array<Short, kThousand> all{};
    for (unsigned value = 0; value < kThousand; ++value) {
      const std::array<char, 3>& three = kThree[value].digits;
      const std::uint8_t zeros = value < 10 ? 2 : value < 100 ? 1 : 0;
      for (std::size_t i = zeros; i < 3; ++i) all[value].digits[i - zeros] = three[i];
      all[value].size = static_cast<std::uint8_t>(3 - zeros);
    }
    return all;
  }();

  struct Kept {
    std::uint64_t value = 0;
    std::array<char, 16> text{'0'};
    std::size_t size = 1;
  };

  static char* kept(char* out, Kept& kept, std::uint64_t value) noexcept {
    if (kept.value != value) keep(kept, value);
    std::memcpy(out, kept.text.data(), kept.text.size());
    return out + kept.size;
  }
  static void keep(Kept& kept, std::uint64_t value) noexcept {
    std::array<char, kNumberBytes> text;
    kept.value = value;
    kept.size = static_cast<std::size_t>(write_count(text.data(), value) - text.data());
    std::memcpy(kept.text.data(), text.data(), kept.text.size());
  }
  static char* three(char* out, std::uint32_t value) noexcept {
    std::memcpy(out, &kThree[value], sizeof(Three));
    return out + 3;
  }

  Kept counts_;
  std::array<Kept, 64> seconds_;  ///< each at its number modulo 64
};

}  // namespace ratereplay
