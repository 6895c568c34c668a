// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ratereplay/decision.hpp"

namespace ratereplay {

enum class CostFault : std::uint8_t { kNone, kNotANumber, kNegative, kFraction, kTooLarge };

/// A whole number from 0 to 2^32 - 1, also written as `12.0` or `1.2E+1`.
[[nodiscard]] CostFault read_cost(std::string_view text, Cost& cost) noexcept;

/// For people.
[[nodiscard]] std::string cost_reason(CostFault fault, std::string_view text);

}  // namespace ratereplay
