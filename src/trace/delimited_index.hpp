// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ratereplay {

inline constexpr std::size_t kIndexBytes = std::size_t{16} << 10;
/// Places that index_specials may write to for that many bytes.
inline constexpr std::size_t kIndexPlaces = kIndexBytes + 64;

/// Writes the offsets of every delimiter, quote and line feed in text[0, size) to `places`, in
/// order, and returns how many. `size` is at most kIndexBytes; 64 bytes past the end may be read,
/// and 64 places past the last may be written. Vector code where the processor has it.
std::size_t index_specials(const char* text, std::size_t size, char delimiter,
                           std::uint16_t* places);

/// The same, byte by byte.
std::size_t index_specials_plainly(const char* text, std::size_t size, char delimiter,
                                   std::uint16_t* places);

}  // namespace ratereplay
