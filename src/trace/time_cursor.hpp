// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ratereplay {

/// A text being read from left to right. Nothing is consumed by a step that answers false.
class TimeCursor {
 public:
  explicit TimeCursor(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] bool done() const noexcept { return text_.empty(); }
  [[nodiscard]] char peek() const noexcept { return text_.empty() ? '\0' : text_.front(); }
  [[nodiscard]] std::string_view rest() const noexcept { return text_; }

  bool take(char wanted) noexcept;
  bool take_any(std::string_view wanted) noexcept;
  /// Letters, whatever their case.
  bool take_word(std::string_view word) noexcept;
  bool blanks() noexcept;
  /// From `least` to `most` digits.
  bool digits(std::size_t least, std::size_t most, int& value) noexcept;
  /// One or more digits as a fraction, rounded half up to nanoseconds (up to 10^9).
  bool fraction(std::int32_t& nanos) noexcept;
  /// `.` or `,` and a fraction.
  bool point_fraction(std::int32_t& nanos) noexcept;
  /// `+hh`, `+hhmm` or `+hh:mm`. `valid` is false for hours above 23 or minutes above 59.
  bool offset(std::int32_t& seconds, bool& valid) noexcept;
  /// A name of the list or its first three letters; `index` counts from 0.
  bool name(std::span<const std::string_view> names, int& index) noexcept;

 private:
  std::string_view text_;
};

}  // namespace ratereplay
