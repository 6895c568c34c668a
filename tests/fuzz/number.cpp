// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "fuzz/targets.hpp"
#include "spec/count_text.hpp"
#include "spec/duration_text.hpp"
#include "trace/cost_text.hpp"

/// Input: lines, each read as a cost, a count and a duration.
namespace ratereplay::fuzz {
namespace {

/// What a cost is worth by the C library, whose 64 bits of mantissa hold every cost.
void check_cost(const std::string& text) {
  Cost cost = 0;
  const CostFault fault = read_cost(text, cost);
  if (fault == CostFault::kNone) {
    require(std::strtold(text.c_str(), nullptr) == static_cast<long double>(cost),
            "a cost is what was written: " + text);
    return;
  }
  require(!cost_reason(fault, text).empty(), "a cost is refused with a reason");
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  require(!digits || std::strtold(text.c_str(), nullptr) > 4294967295.0L,
          "digits within 32 bits are a cost: " + text);
}

void check_count(const std::string& text) {
  const auto count = read_count(text);
  if (const auto* value = std::get_if<std::int64_t>(&count)) {
    require(*value >= 0, "a count is not negative: " + text);
    require(std::get<std::int64_t>(read_count(std::to_string(*value))) == *value,
            "a count in digits is the same count: " + text);
  }
}

void check_duration(const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) return;
  require(duration->count() >= 0, "a duration is not negative: " + text);
  require(parse_duration(duration_text(*duration)) == duration,
          "a duration's text is the same duration: " + text);
}

}  // namespace

void number(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string text(take_line(bytes));
    check_cost(text);
    check_count(text);
    check_duration(text);
  }
}

}  // namespace ratereplay::fuzz
