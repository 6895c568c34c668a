// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/bytes16.hpp"

namespace ratereplay {

/// Looks at 16 bytes of JSON text one by one; each answer has a bit for each byte.
struct PlainJsonWindow {
  static constexpr std::size_t kBytes = 16;

  static std::uint32_t same(const char* a, const char* b) noexcept {
    return bits([&](std::size_t i) { return a[i] == b[i]; });
  }
  /// Quotes, backslashes and control bytes.
  static std::uint32_t stops(const char* text) noexcept {
    return bits([&](std::size_t i) {
      return text[i] == '"' || text[i] == '\\' || static_cast<unsigned char>(text[i]) < 0x20;
    });
  }
  static std::uint32_t digits(const char* text) noexcept {
    return bits([&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; });
  }

 private:
  template <class Holds>
  static std::uint32_t bits(const Holds& holds) noexcept {
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < kBytes; ++i) found |= std::uint32_t{holds(i)} << i;
    return found;
  }
};

#if defined(__x86_64__)

/// The same with vectors.
struct JsonWindow {
  static constexpr std::size_t kBytes = PlainJsonWindow::kBytes;

  static std::uint32_t same(const char* a, const char* b) noexcept {
    return byte_bits(_mm_cmpeq_epi8(load16(a), load16(b)));
  }
  static std::uint32_t stops(const char* text) noexcept {
    const __m128i bytes = load16(text);
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return byte_bits(_mm_or_si128(controls, _mm_or_si128(quotes, slashes)));
  }
  static std::uint32_t digits(const char* text) noexcept {
    const __m128i values = _mm_sub_epi8(load16(text), _mm_set1_epi8('0'));
    return byte_bits(_mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values));
  }
};

#else

using JsonWindow = PlainJsonWindow;

#endif

}  // namespace ratereplay
