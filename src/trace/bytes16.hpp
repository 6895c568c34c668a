// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)

#include <emmintrin.h>

#include <cstdint>

namespace ratereplay {

/// The 16 bytes at `at`.
[[nodiscard]] inline __m128i load16(const char* at) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

/// A bit for each byte, of what a comparison of bytes gave.
[[nodiscard]] inline std::uint32_t byte_bits(__m128i bytes) noexcept {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
}

}  // namespace ratereplay

#endif
