// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trace/plan.hpp"

namespace ratereplay {

/// How keys are held. No field: the empty text, one key for all. One field: its bytes. Several: the
/// parts with a zero byte after each, in which a byte 0 is held as 1 1 and a byte 1 as 1 2, so that
/// tuples are the same, and sort, as tuples. A field that is missing, null, empty or `-` is the key
/// `-`, which no other field can be.
inline constexpr std::string_view kMissingKey = "-";

/// The most that encode_part writes.
[[nodiscard]] constexpr std::size_t encoded_bound(std::string_view part) noexcept {
  return 2 * part.size() + 1;
}

/// Writes one part of a tuple and returns the place behind it.
char* encode_part(std::string_view part, char* out) noexcept;

/// The fields that a key was composed of; none for one key for all.
[[nodiscard]] std::vector<std::string> key_parts(std::string_view key,
                                                 const std::vector<KeyPart>& parts);

/// What outputs show: the field, tuples joined with ` | `, `(all)` for one key for all. The bytes
/// of the fields are not changed.
[[nodiscard]] std::string shown_key(std::string_view key, const std::vector<KeyPart>& parts);

}  // namespace ratereplay
