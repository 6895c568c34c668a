// SPDX-License-Identifier: Apache-2.0
#include "trace/decimal.hpp"

#include <algorithm>

#include "trace/digits.hpp"

namespace ratereplay {
namespace {

constexpr std::int64_t kMostExponent = 1'000'000'000;

bool all_digits(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), is_digit);
}

/// The digits of a number from the first that is not 0, one after the other.
class Digits {
 public:
  explicit Digits(const Decimal& number) noexcept : number_(number) {
    while (at_ < size() && digit() == '0') ++at_;
    place_ = static_cast<std::int64_t>(number.whole.size()) - static_cast<std::int64_t>(at_) +
             number.exponent;
  }

  [[nodiscard]] bool zero() const noexcept { return at_ == size(); }
  /// How many digits stand before the point.
  [[nodiscard]] std::int64_t place() const noexcept { return place_; }
  [[nodiscard]] bool done() const noexcept { return at_ == size(); }
  [[nodiscard]] char next() noexcept {
    const char c = done() ? '0' : digit();
    at_ += done() ? 0 : 1;
    return c;
  }

 private:
  [[nodiscard]] std::size_t size() const noexcept {
    return number_.whole.size() + number_.fraction.size();
  }
  [[nodiscard]] char digit() const noexcept {
    return at_ < number_.whole.size() ? number_.whole[at_]
                                      : number_.fraction[at_ - number_.whole.size()];
  }

  const Decimal& number_;
  std::size_t at_ = 0;
  std::int64_t place_ = 0;
};

std::strong_ordering compare_size(Digits a, Digits b) noexcept {
  if (a.zero() || b.zero()) return static_cast<int>(b.zero()) <=> static_cast<int>(a.zero());
  if (a.place() != b.place()) return a.place() <=> b.place();
  while (!a.done() || !b.done()) {
    const char one = a.next();
    const char other = b.next();
    if (one != other) return one <=> other;
  }
  return std::strong_ordering::equal;
}

}  // namespace

std::optional<Decimal> read_decimal(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  Decimal number;
  number.negative = text.starts_with('-');
  if (number.negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  number.whole = digits.substr(0, point);
  number.fraction = point < digits.size() ? digits.substr(point + 1) : std::string_view();
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  if (!all_digits(number.whole) || !all_digits(number.fraction)) return std::nullopt;
  if (mark < text.size()) {
    std::string_view power = text.substr(mark + 1);
    const bool small = power.starts_with('-');
    if (small || power.starts_with('+')) power.remove_prefix(1);
    if (power.empty() || !all_digits(power)) return std::nullopt;
    for (const char c : power) {
      number.exponent = std::min(number.exponent * 10 + (c - '0'), kMostExponent);
    }
    if (small) number.exponent = -number.exponent;
  }
  return number;
}

std::strong_ordering compare(const Decimal& a, const Decimal& b) noexcept {
  const Digits one(a);
  const Digits other(b);
  const bool one_below = a.negative && !one.zero();
  const bool other_below = b.negative && !other.zero();
  if (one_below != other_below) {
    return one_below ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return one_below ? compare_size(other, one) : compare_size(one, other);
}

}  // namespace ratereplay
