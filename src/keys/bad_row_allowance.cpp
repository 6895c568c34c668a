// SPDX-License-Identifier: Apache-2.0
#include "keys/bad_row_allowance.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "error.hpp"
#include "trace/row_filter.hpp"

namespace ratereplay {

BadRowAllowance::BadRowAllowance(const std::string& text)
    : text_(text), per_million_(parse_share(text)) {
  const char* const end = text.data() + text.size();
  const auto whole = std::from_chars(text.data(), end, count_);
  if (!per_million_ && (whole.ec != std::errc{} || whole.ptr != end)) {
    throw Error(ErrorKind::kUsage, fmt::format("--max-bad-rows {}: not a count or a share", text),
                {"write a number of rows (0, 25) or a share of all rows (1%, 0.05%)"});
  }
}

bool BadRowAllowance::holds(std::uint64_t bad, std::uint64_t rows) const noexcept {
  if (!per_million_) return bad <= count_;
  __extension__ using Wide = unsigned __int128;
  return Wide{bad} * 1'000'000 <= Wide{rows} * *per_million_;
}

}  // namespace ratereplay
