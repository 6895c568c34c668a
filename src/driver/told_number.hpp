// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ratereplay {

enum class Toward : std::uint8_t { kUp, kDown };

/// A number of JSON as a whole one. It is first rounded to six decimals, since programs compute in
/// doubles and mean 950 with 950.0000000001; what is left of a fraction goes up or down. nullopt
/// beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view json, Toward toward);

}  // namespace ratereplay
