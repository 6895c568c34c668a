// SPDX-License-Identifier: Apache-2.0
#include "trace/cost_text.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "text/visible.hpp"
#include "trace/decimal.hpp"
#include "trace/digits.hpp"

namespace ratereplay {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<Cost>::max();

/// The decimal number digit by digit: `units` before the point once the exponent is applied.
CostFault read_any(std::string_view text, Cost& cost) noexcept {
  const std::optional<Decimal> number = read_decimal(text);
  if (!number) return CostFault::kNotANumber;
  // The point stands after this many of all the digits.
  const std::int64_t before = static_cast<std::int64_t>(number->whole.size()) + number->exponent;
  std::uint64_t units = 0;
  bool large = false;
  bool below = false;
  std::int64_t index = 0;
  for (const std::string_view part : {number->whole, number->fraction}) {
    for (const char c : part) {
      const auto digit = static_cast<unsigned>(c - '0');
      if (index++ >= before) {
        below = below || digit != 0;
      } else if (!large) {
        units = units * 10 + digit;
        large = units > kMost;
      }
    }
  }
  for (; index < before && units != 0 && !large; ++index) {
    units *= 10;
    large = units > kMost;
  }
  if (number->negative && (units != 0 || below)) return CostFault::kNegative;
  if (below) return CostFault::kFraction;
  if (large) return CostFault::kTooLarge;
  cost = static_cast<Cost>(units);
  return CostFault::kNone;
}

}  // namespace

CostFault read_cost(std::string_view text, Cost& cost) noexcept {
  std::uint64_t value = 0;
  std::size_t used = 0;
  if (read_whole(text, value, used) && used == text.size()) {
    if (value > kMost) return CostFault::kTooLarge;
    cost = static_cast<Cost>(value);
    return CostFault::kNone;
  }
  return read_any(text, cost);
}

std::string cost_reason(CostFault fault, std::string_view text) {
  const std::string shown = visible(text.size() > 40 ? text.substr(0, 40) : text);
  switch (fault) {
    case CostFault::kNone:
      break;
    case CostFault::kNotANumber:
      return fmt::format("'{}' is not a number", shown);
    case CostFault::kNegative:
      return fmt::format("{} is negative", shown);
    case CostFault::kFraction:
      return fmt::format("{} is not a whole number", shown);
    case CostFault::kTooLarge:
      return fmt::format("{} is above {}", shown, kMost);
  }
  return {};
}

}  // namespace ratereplay
