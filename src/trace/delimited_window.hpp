// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/bytes16.hpp"

namespace ratereplay {

/// What 32 bytes of a table hold, a bit for each byte.
struct DelimitedWindow {
  static constexpr std::size_t kBytes = 32;

  std::uint32_t delimiters = 0;
  std::uint32_t stops = 0;  ///< quotes and line feeds
};

/// Looks at a window byte by byte.
class PlainWindowFinder {
 public:
  explicit PlainWindowFinder(char delimiter) : delimiter_(delimiter) {}

  [[nodiscard]] DelimitedWindow at(const char* text) const noexcept {
    DelimitedWindow window;
    for (std::size_t i = 0; i < DelimitedWindow::kBytes; ++i) {
      window.delimiters |= std::uint32_t{text[i] == delimiter_} << i;
      window.stops |= std::uint32_t{text[i] == '"' || text[i] == '\n'} << i;
    }
    return window;
  }

 private:
  char delimiter_;
};

#if defined(__x86_64__)

/// The same with vectors.
class WindowFinder {
 public:
  explicit WindowFinder(char delimiter) : delimiter_(_mm_set1_epi8(delimiter)) {}

  [[nodiscard]] DelimitedWindow at(const char* text) const noexcept {
    const __m128i low = load16(text);
    const __m128i high = load16(text + 16);
    return {bits(_mm_cmpeq_epi8(low, delimiter_), _mm_cmpeq_epi8(high, delimiter_)),
            bits(stops(low), stops(high))};
  }

 private:
  static __m128i stops(__m128i bytes) noexcept {
    return _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
  }
  static std::uint32_t bits(__m128i low, __m128i high) noexcept {
    return byte_bits(low) | byte_bits(high) << 16;
  }

  __m128i delimiter_;
};

#else

using WindowFinder = PlainWindowFinder;

#endif

}  // namespace ratereplay
