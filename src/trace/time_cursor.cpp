// SPDX-License-Identifier: Apache-2.0
#include "trace/time_cursor.hpp"

#include <algorithm>

namespace ratereplay {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

bool TimeCursor::take(char wanted) noexcept {
  if (text_.empty() || text_.front() != wanted) return false;
  text_.remove_prefix(1);
  return true;
}

bool TimeCursor::take_any(std::string_view wanted) noexcept {
  if (text_.empty() || wanted.find(text_.front()) == std::string_view::npos) return false;
  text_.remove_prefix(1);
  return true;
}

bool TimeCursor::take_word(std::string_view word) noexcept {
  if (text_.size() < word.size()) return false;
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  if (!std::equal(word.begin(), word.end(), text_.begin(), same)) return false;
  text_.remove_prefix(word.size());
  return true;
}

bool TimeCursor::blanks() noexcept {
  std::size_t count = 0;
  while (count < text_.size() && is_blank(text_[count])) ++count;
  text_.remove_prefix(count);
  return count > 0;
}

bool TimeCursor::digits(std::size_t least, std::size_t most, int& value) noexcept {
  std::size_t count = 0;
  int sum = 0;
  for (; count < most && count < text_.size() && is_digit(text_[count]); ++count) {
    sum = sum * 10 + (text_[count] - '0');
  }
  if (count < least) return false;
  text_.remove_prefix(count);
  value = sum;
  return true;
}

bool TimeCursor::fraction(std::int32_t& nanos) noexcept {
  if (text_.empty() || !is_digit(text_.front())) return false;
  std::int32_t sum = 0;
  std::size_t count = 0;
  for (; count < text_.size() && is_digit(text_[count]); ++count) {
    if (count < 9) sum = sum * 10 + (text_[count] - '0');
    if (count == 9 && text_[count] >= '5') ++sum;
  }
  for (std::size_t i = count; i < 9; ++i) sum *= 10;
  text_.remove_prefix(count);
  nanos = sum;
  return true;
}

bool TimeCursor::point_fraction(std::int32_t& nanos) noexcept {
  TimeCursor ahead = *this;
  if (!ahead.take_any(".,") || !ahead.fraction(nanos)) return false;
  *this = ahead;
  return true;
}

bool TimeCursor::offset(std::int32_t& seconds, bool& valid) noexcept {
  TimeCursor ahead = *this;
  const bool west = ahead.peek() == '-';
  int hours = 0;
  int minutes = 0;
  if (!ahead.take_any("+-") || !ahead.digits(2, 2, hours)) return false;
  if (ahead.take(':')) {
    if (!ahead.digits(2, 2, minutes)) return false;
  } else if (is_digit(ahead.peek()) && !ahead.digits(2, 2, minutes)) {
    return false;
  }
  valid = hours <= 23 && minutes <= 59;
  seconds = (west ? -1 : 1) * (hours * 3'600 + minutes * 60);
  *this = ahead;
  return true;
}

bool TimeCursor::name(std::span<const std::string_view> names, int& index) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (take_word(names[i]) || take_word(names[i].substr(0, 3))) {
      index = static_cast<int>(i);
      return true;
    }
  }
  return false;
}

}  // namespace ratereplay
