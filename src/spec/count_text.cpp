// SPDX-License-Identifier: Apache-2.0
#include "spec/count_text.hpp"

#include <charconv>
#include <limits>
#include <system_error>

namespace ratereplay {

std::variant<std::int64_t, CountFault> read_count(std::string_view text) {
  std::int64_t scale = 1;
  if (text.ends_with('k')) scale = 1'000;
  if (text.ends_with('M')) scale = 1'000'000;
  if (scale > 1) text.remove_suffix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return CountFault::kSyntax;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value > std::numeric_limits<std::int64_t>::max() / scale) {
    return CountFault::kRange;
  }
  return value * scale;
}

}  // namespace ratereplay
