// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace ratereplay {

/// Decimal digits, eight at a time in a register. Reads within the text it is given only.

static_assert(std::endian::native == std::endian::little);

inline constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (std::uint64_t& each : powers) {
    each = power;
    power *= 10;
  }
  return powers;
}();

inline std::uint64_t load8(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  return word;
}
inline std::uint32_t load4(const char* at) noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, at, 4);
  return word;
}
inline std::uint16_t load2(const char* at) noexcept {
  std::uint16_t word = 0;
  std::memcpy(&word, at, 2);
  return word;
}

inline constexpr std::uint64_t kEightZeros = 0x30'30'30'30'30'30'30'30;

/// Top bits mark the bytes that are no digits, reliable up to and with the first of them. `values`
/// are bytes already relieved of '0'.
inline std::uint64_t not_digits(std::uint64_t values) noexcept {
  return ((values + 0x76'76'76'76'76'76'76'76) | values) & 0x80'80'80'80'80'80'80'80;
}

/// The number that eight digit values spell, the first in the lowest byte.
inline std::uint64_t eight_digits(std::uint64_t values) noexcept {
  values = (values * 10 + (values >> 8)) & 0x00'FF'00'FF'00'FF'00'FF;
  values = (values * 100 + (values >> 16)) & 0x00'00'FF'FF'00'00'FF'FF;
  return (values * 10'000 + (values >> 32)) & 0xFF'FF'FF'FF;
}

/// The number that the last `digits` (1 to 16) bytes before `end` spell; false when they are no
/// digits. Sixteen bytes before `end` may be read.
inline bool read_digits_plainly(const char* end, std::size_t digits,
                                std::uint64_t& value) noexcept {
  const auto read = [](const char* word_end, std::size_t count, std::uint64_t& number) {
    const std::size_t others = 64 - 8 * count;
    const std::uint64_t values = (load8(word_end - 8) ^ kEightZeros) >> others << others;
    if (not_digits(values) != 0) return false;
    number = eight_digits(values);
    return true;
  };
  if (digits <= 8) return read(end, digits, value);
  std::uint64_t head = 0;
  if (!read(end - 8, digits - 8, head) || !read(end, 8, value)) return false;
  value += head * 100'000'000;
  return true;
}

/// The same, in one vector register where there are any.
#if defined(__x86_64__)
inline bool read_digits_before(const char* end, std::size_t digits, std::uint64_t& value) noexcept {
  alignas(16) static constexpr std::array<std::uint8_t, 32> kKept = [] {
    std::array<std::uint8_t, 32> kept{};
    std::fill(kept.begin() + 16, kept.end(), std::uint8_t{0xFF});
    return kept;
  }();
  const auto load = [](const void* at) { return _mm_loadu_si128(static_cast<const __m128i*>(at)); };
  const __m128i values =
      _mm_and_si128(_mm_sub_epi8(load(end - 16), _mm_set1_epi8('0')), load(&kKept[digits]));
  const __m128i same = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
  if (_mm_movemask_epi8(same) != 0xFFFF) return false;
  // Neighbours are joined three times: to numbers of two, of four and of eight digits.
  const __m128i tens = _mm_set1_epi32(1 << 16 | 10);
  const __m128i zero = _mm_setzero_si128();
  const __m128i twos = _mm_packs_epi32(_mm_madd_epi16(_mm_unpacklo_epi8(values, zero), tens),
                                       _mm_madd_epi16(_mm_unpackhi_epi8(values, zero), tens));
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
  const __m128i eights =
      _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10'000));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  value = (both & 0xFF'FF'FF'FF) * 100'000'000 + (both >> 32);
  return true;
}
#else
inline bool read_digits_before(const char* end, std::size_t digits, std::uint64_t& value) noexcept {
  return read_digits_plainly(end, digits, value);
}
#endif

inline bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// The shape of a text, letter by letter: 9 is a digit, everything else itself.
inline bool has_shape(std::string_view text, std::string_view shape) noexcept {
  return text.size() >= shape.size() &&
         std::equal(shape.begin(), shape.end(), text.begin(),
                    [](char s, char c) { return s == '9' ? is_digit(c) : s == c; });
}

inline bool two_digits(const char* at, int& value) noexcept {
  value = (at[0] - '0') * 10 + (at[1] - '0');
  return is_digit(at[0]) && is_digit(at[1]);
}
inline bool four_digits(const char* at, int& value) noexcept {
  int high = 0;
  int low = 0;
  if (!two_digits(at, high) || !two_digits(at + 2, low)) return false;
  value = high * 100 + low;
  return true;
}

/// How many digits stand at `from`, up to eight, and their number.
struct Run {
  std::uint64_t value = 0;
  std::size_t digits = 0;
};
inline Run read_run(std::string_view text, std::size_t from) noexcept {
  const std::size_t left = text.size() - from;
  std::uint64_t word = 0;
  if (left >= 8) {
    word = load8(text.data() + from);
  } else if (left == 0) {
    return {};
  } else if (text.size() >= 8) {
    word = load8(text.data() + text.size() - 8) >> (8 * (8 - left));
  } else {
    std::memcpy(&word, text.data() + from, left);
  }
  const std::uint64_t values = word ^ kEightZeros;
  const std::uint64_t other = not_digits(values);
  const std::size_t digits = other == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(other)) / 8;
  if (digits == 0) return {};
  return {eight_digits(values << (8 * (8 - digits))), digits};
}

/// One to nine decimals as nanoseconds; `digits` is 0 for none or more than nine.
struct Fraction {
  std::int64_t nanos = 0;
  std::size_t digits = 0;
};
inline Fraction read_fraction(std::string_view text, std::size_t from) noexcept {
  Run run = read_run(text, from);
  if (run.digits == 8 && from + 8 < text.size() && is_digit(text[from + 8])) {
    if (from + 9 < text.size() && is_digit(text[from + 9])) return {};
    run = {run.value * 10 + static_cast<unsigned>(text[from + 8] - '0'), 9};
  }
  return {static_cast<std::int64_t>(run.value * kPowersOfTen[9 - run.digits]), run.digits};
}

/// One to 19 digits at the start of `text`; false for none or more.
inline bool read_whole(std::string_view text, std::uint64_t& value, std::size_t& used) noexcept {
  // Two words that meet in the middle, for texts that are digits and nothing else.
  if (text.size() - 9 <= 16 - 9) [[likely]] {
    const std::uint64_t head = (load8(text.data()) ^ kEightZeros) << (8 * (16 - text.size()));
    const std::uint64_t tail = load8(text.data() + text.size() - 8) ^ kEightZeros;
    if ((not_digits(head) | not_digits(tail)) == 0) [[likely]] {
      value = eight_digits(head) * kPowersOfTen[8] + eight_digits(tail);
      used = text.size();
      return true;
    }
  }
  const Run first = read_run(text, 0);
  value = first.value;
  used = first.digits;
  if (first.digits < 8) return first.digits > 0;
  const Run second = read_run(text, 8);
  value = value * kPowersOfTen[second.digits] + second.value;
  used += second.digits;
  if (second.digits < 8) return true;
  for (; used < text.size() && is_digit(text[used]); ++used) {
    if (used == 19) return false;
    value = value * 10 + static_cast<unsigned>(text[used] - '0');
  }
  return true;
}

}  // namespace ratereplay
