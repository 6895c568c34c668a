// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "ratereplay/time.hpp"
#include "report/result.hpp"

namespace ratereplay {

/// Numbers as every output shows them: from integers, exact or rounded half up, in no locale.

/// The widest number shown: sizes in bytes may pass 64 bits.
__extension__ using Digits = unsigned __int128;

/// Bytes that a buffer must have left for write_count or write_ms: the longest text, and the slack
/// that whole words are stored into.
inline constexpr std::size_t kNumberBytes = 48;

namespace number_text {

/// Eight digits of a value below 10^8 as bytes 0 to 9, the first digit in the lowest byte.
[[nodiscard]] constexpr std::uint64_t digits8(std::uint32_t value) noexcept {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t fours = std::uint64_t{value / 10000} | std::uint64_t{value % 10000}
                                                                 << 32;  // two of 0-9999
  const std::uint64_t upper = ((fours * 10486) >> 20) & 0x0000007F0000007FU;
  const std::uint64_t twos = ((fours - 100 * upper) << 16) + upper;  // four of 0-99
  const std::uint64_t tens = ((twos * 103) >> 10) & 0x000F000F000F000FU;
  return tens + ((twos - 10 * tens) << 8);
}

inline constexpr std::uint64_t kAsciiZeros = 0x3030303030303030U;

inline char* write8(char* out, std::uint32_t value) noexcept {
  const std::uint64_t text = digits8(value) + kAsciiZeros;
  std::memcpy(out, &text, 8);
  return out + 8;
}

/// Without leading zeros; 0 is one digit. Stores eight bytes.
inline char* write_up_to_8(char* out, std::uint32_t value) noexcept {
  const std::uint64_t digits = digits8(value);
  const auto zeros = static_cast<unsigned>(std::countr_zero(digits | std::uint64_t{1} << 56) / 8);
  const std::uint64_t text = (digits + kAsciiZeros) >> (zeros * 8);
  std::memcpy(out, &text, 8);
  return out + (8 - zeros);
}

}  // namespace number_text

/// Decimal digits; returns the end.
inline char* write_count(char* out, std::uint64_t value) noexcept {
  constexpr std::uint64_t kEight = 100'000'000;
  if (value < 10) {  // many are 0 or 1
    *out = static_cast<char>('0' + value);
    return out + 1;
  }
  if (value < kEight) return number_text::write_up_to_8(out, static_cast<std::uint32_t>(value));
  const std::uint64_t high = value / kEight;
  const auto low = static_cast<std::uint32_t>(value % kEight);
  if (high < kEight) {
    out = number_text::write_up_to_8(out, static_cast<std::uint32_t>(high));
  } else {
    out = number_text::write_up_to_8(out, static_cast<std::uint32_t>(high / kEight));
    out = number_text::write8(out, static_cast<std::uint32_t>(high % kEight));
  }
  return number_text::write8(out, low);
}

/// Exact decimal milliseconds with as many digits as they need: 950, 0.000001, -1.5.
inline char* write_ms(char* out, std::int64_t nanoseconds) noexcept {
  if (nanoseconds == 0) return write_count(out, 0);
  auto magnitude = static_cast<std::uint64_t>(nanoseconds);
  if (nanoseconds < 0) {
    *out++ = '-';
    magnitude = 0 - magnitude;
  }
  out = write_count(out, magnitude / 1'000'000);
  const auto fraction = static_cast<std::uint32_t>(magnitude % 1'000'000);
  if (fraction == 0) return out;
  // Eight digits, of which the first two are zeros.
  const std::uint64_t digits = number_text::digits8(fraction) >> 16;
  const std::uint64_t text = digits + number_text::kAsciiZeros;
  *out = '.';
  std::memcpy(out + 1, &text, 8);
  const int last = (63 - std::countl_zero(digits)) / 8;  // the last digit that is not zero
  return out + 2 + last;
}

[[nodiscard]] std::string ms_text(Duration duration);
[[nodiscard]] std::string ms_text(Instant instant);

/// The inverse of ms_text; nullopt when the text is not decimal milliseconds of whole nanoseconds
/// that fit 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_ms(std::string_view text);

[[nodiscard]] std::string count_text(Digits value);

/// "60,506".
[[nodiscard]] std::string grouped_text(std::uint64_t value);

/// At most six columns: "60,506", "1.2M", "18.4E" (k M G T P E, rounded half up).
[[nodiscard]] std::string compact_text(std::uint64_t value);

/// part / whole with that many decimals, rounded half up: "0.0654". nullopt when whole is 0.
[[nodiscard]] std::optional<std::string> ratio_text(Ratio ratio, int decimals = 4);

/// Percent with two decimals and no sign: "6.54"; "-" when undefined.
[[nodiscard]] std::string percent_text(Ratio ratio);

/// Decimal digits to a number; nullopt beyond 128 bits or when they are no digits.
[[nodiscard]] std::optional<Digits> parse_digits(std::string_view digits);

/// Rounded for reading, at most nine columns: "512 B", "56.5 KiB", "1023 MiB".
[[nodiscard]] std::string bytes_text(Digits bytes);

/// Rounded for reading: "0", "41 ms", "1.5 ms", "20 us", "1.2 s", "10m00s", "5h03m", "3d04h",
/// "400d".
[[nodiscard]] std::string span_text(Duration duration);
/// The time from `first` to a later instant, which may be more than a Duration holds.
[[nodiscard]] std::string span_text(Instant first, Instant last);

}  // namespace ratereplay
