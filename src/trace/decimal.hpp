// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ratereplay {

/// A decimal number as it is written, of any length: exact, since nothing is computed.
struct Decimal {
  bool negative = false;
  std::string_view whole;     ///< digits before the point
  std::string_view fraction;  ///< digits behind it
  std::int64_t exponent = 0;  ///< a power of ten; beyond 10^9 it is cut there
};

/// `[+-] digits [. digits] [e [+-] digits]` with blanks around it; nullopt for any other text. The
/// answer points into `text`.
[[nodiscard]] std::optional<Decimal> read_decimal(std::string_view text) noexcept;

/// By value: 1.0 and 10e-1 are the same.
[[nodiscard]] std::strong_ordering compare(const Decimal& a, const Decimal& b) noexcept;

}  // namespace ratereplay
