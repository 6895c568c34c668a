// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "trace/bytes16.hpp"

namespace ratereplay {

/// Looks at the bytes of an access log one by one.
struct PlainAccessWindow {
  /// How many of the 16 bytes at `text` are digits and dots (or slashes), up to the first other
  /// one.
  static std::size_t address_bytes(const char* text) noexcept {
    std::size_t bytes = 0;
    while (bytes < 16 && text[bytes] >= '.' && text[bytes] <= '9') ++bytes;
    return bytes;
  }
  /// The first line feed at `text` or behind it; at or behind `end` when there is none before. 64
  /// bytes past `end` may be read.
  static const char* find_feed(const char* text, const char* end) noexcept {
    return std::find(text, end, '\n');
  }
};

#if defined(__x86_64__)

/// The same with vectors.
struct AccessWindow {
  static std::size_t address_bytes(const char* text) noexcept {
    const __m128i values = _mm_sub_epi8(load16(text), _mm_set1_epi8('.'));
    const __m128i most = _mm_set1_epi8('9' - '.');
    return static_cast<std::size_t>(
        std::countr_one(byte_bits(_mm_cmpeq_epi8(_mm_min_epu8(values, most), values))));
  }
  static const char* find_feed(const char* text, const char* end) noexcept {
    for (; text < end; text += 64) {
      const __m128i first = feeds(text);
      const __m128i second = feeds(text + 16);
      const __m128i third = feeds(text + 32);
      const __m128i fourth = feeds(text + 48);
      if (byte_bits(_mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, fourth))) == 0) {
        continue;
      }
      const std::uint64_t all = byte_bits(first) | std::uint64_t{byte_bits(second)} << 16 |
                                std::uint64_t{byte_bits(third)} << 32 |
                                std::uint64_t{byte_bits(fourth)} << 48;
      return text + std::countr_zero(all);
    }
    return end;
  }

 private:
  static __m128i feeds(const char* at) noexcept {
    return _mm_cmpeq_epi8(load16(at), _mm_set1_epi8('\n'));
  }
};

#else

using AccessWindow = PlainAccessWindow;

#endif

}  // namespace ratereplay
