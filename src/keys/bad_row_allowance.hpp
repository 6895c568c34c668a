// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ratereplay {

/// How many unread rows a trace may hold (--max-bad-rows): a count, or a share of all rows.
class BadRowAllowance {
 public:
  /// A whole number, or a share with `%`; Error(kUsage) on anything else.
  explicit BadRowAllowance(const std::string& text);

  [[nodiscard]] bool holds(std::uint64_t bad, std::uint64_t rows) const noexcept;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::uint64_t count_ = 0;
  std::optional<std::uint32_t> per_million_;
};

}  // namespace ratereplay
