// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited_index.hpp"

#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ratereplay {

std::size_t index_specials_plainly(const char* text, std::size_t size, char delimiter,
                                   std::uint16_t* places) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (text[i] == delimiter || text[i] == '"' || text[i] == '\n') {
      places[count++] = static_cast<std::uint16_t>(i);
    }
  }
  return count;
}

#if defined(__x86_64__)

namespace {

constexpr std::size_t kStep = 64;

/// The bits of the step at `at` that lie before `size`.
inline std::uint64_t inside(std::size_t at, std::size_t size) {
  return size - at >= kStep ? ~std::uint64_t{0} : (std::uint64_t{1} << (size - at)) - 1;
}

std::size_t index_sse2(const char* text, std::size_t size, char delimiter, std::uint16_t* places) {
  const __m128i delimiters = _mm_set1_epi8(delimiter);
  const __m128i quotes = _mm_set1_epi8('"');
  const __m128i feeds = _mm_set1_epi8('\n');
  std::size_t count = 0;
  for (std::size_t at = 0; at < size; at += kStep) {
    std::uint64_t bits = 0;
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i bytes =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at + std::size_t{16} * part));
      const __m128i hits = _mm_or_si128(
          _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiters), _mm_cmpeq_epi8(bytes, quotes)),
          _mm_cmpeq_epi8(bytes, feeds));
      bits |= std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(hits))} << (16 * part);
    }
    for (bits &= inside(at, size); bits != 0; bits &= bits - 1) {
      places[count++] =
          static_cast<std::uint16_t>(at + static_cast<unsigned>(std::countr_zero(bits)));
    }
  }
  return count;
}

[[gnu::target("avx2,bmi,popcnt")]] std::size_t index_avx2(const char* text, std::size_t size,
                                                          char delimiter, std::uint16_t* places) {
  const __m256i delimiters = _mm256_set1_epi8(delimiter);
  const __m256i quotes = _mm256_set1_epi8('"');
  const __m256i feeds = _mm256_set1_epi8('\n');
  std::size_t count = 0;
  for (std::size_t at = 0; at < size; at += kStep) {
    std::uint64_t bits = 0;
    for (unsigned part = 0; part < 2; ++part) {
      const __m256i bytes =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at + std::size_t{32} * part));
      const __m256i hits = _mm256_or_si256(
          _mm256_or_si256(_mm256_cmpeq_epi8(bytes, delimiters), _mm256_cmpeq_epi8(bytes, quotes)),
          _mm256_cmpeq_epi8(bytes, feeds));
      bits |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_epi8(hits))} << (32 * part);
    }
    bits &= inside(at, size);
    const auto found = static_cast<std::size_t>(_mm_popcnt_u64(bits));
    // Eight at a time without asking how many there are: the branch is nearly always the same.
    std::uint16_t* to = places + count;
    do {
      for (int i = 0; i < 8; ++i) {
        *to++ = static_cast<std::uint16_t>(at + _tzcnt_u64(bits));
        bits &= bits - 1;
      }
    } while (bits != 0);
    count += found;
  }
  return count;
}

using Index = std::size_t (*)(const char*, std::size_t, char, std::uint16_t*);
const Index kIndex = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                             __builtin_cpu_supports("popcnt")
                         ? index_avx2
                         : index_sse2;

}  // namespace

std::size_t index_specials(const char* text, std::size_t size, char delimiter,
                           std::uint16_t* places) {
  return kIndex(text, size, delimiter, places);
}

#else

std::size_t index_specials(const char* text, std::size_t size, char delimiter,
                           std::uint16_t* places) {
  return index_specials_plainly(text, size, delimiter, places);
}

#endif

}  // namespace ratereplay
