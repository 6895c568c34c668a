// SPDX-License-Identifier: Apache-2.0
#include "spec/count_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

#include "error.hpp"

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

std::uint64_t need_count(std::string_view flag, std::string_view text) {
  const auto result = read_count(text);
  if (const auto* count = std::get_if<std::int64_t>(&result)) {
    return static_cast<std::uint64_t>(*count);
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} '{}' is not a count", flag, text),
              {std::string(kCountAdvice)});
}

}  // namespace ratereplay
