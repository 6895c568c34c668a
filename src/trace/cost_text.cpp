// SPDX-License-Identifier: Apache-2.0
#include "trace/cost_text.hpp"

#include <fmt/format.h>

#include <limits>

#include "text/visible.hpp"
#include "trace/digits.hpp"

namespace ratereplay {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<Cost>::max();

/// The decimal number digit by digit: `units` before the point once the exponent is applied.
CostFault read_any(std::string_view text, Cost& cost) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = point < digits.size() ? digits.substr(point + 1) : "";
  if (whole.empty() && fraction.empty()) return CostFault::kNotANumber;
  for (const std::string_view part : {whole, fraction}) {
    for (const char c : part) {
      if (!is_digit(c)) return CostFault::kNotANumber;
    }
  }
  std::int64_t exponent = 0;
  if (mark < text.size()) {
    std::string_view power = text.substr(mark + 1);
    const bool small = power.starts_with('-');
    if (small || power.starts_with('+')) power.remove_prefix(1);
    if (power.empty()) return CostFault::kNotANumber;
    for (const char c : power) {
      if (!is_digit(c)) return CostFault::kNotANumber;
      if (exponent < 1'000'000'000) exponent = exponent * 10 + (c - '0');
    }
    if (small) exponent = -exponent;
  }

  // The point stands after this many of all the digits.
  const std::int64_t before = static_cast<std::int64_t>(whole.size()) + exponent;
  std::uint64_t units = 0;
  bool large = false;
  bool below = false;
  std::int64_t index = 0;
  for (const std::string_view part : {whole, fraction}) {
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
  if (negative && (units != 0 || below)) return CostFault::kNegative;
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
