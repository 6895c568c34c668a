// SPDX-License-Identifier: Apache-2.0
#include "driver/told_number.hpp"

#include <algorithm>
#include <charconv>

#include "ratereplay/arithmetic.hpp"

namespace ratereplay {
namespace {

constexpr std::int64_t kDecimals = 6;
constexpr std::int64_t kScale = 1'000'000;
// More digits than 64 bits and the decimals have are out of range, or rounded away.
constexpr std::int64_t kMostDigits = 26;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view json, Toward toward) {
  const bool negative = json.starts_with('-');
  const std::string_view mantissa = json.substr(0, json.find_first_of("eE"));
  std::int64_t exponent = 0;
  if (mantissa.size() < json.size()) {
    std::string_view digits = json.substr(mantissa.size() + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error == std::errc::result_out_of_range) exponent = digits.starts_with('-') ? -9999 : 9999;
    exponent = std::clamp<std::int64_t>(exponent, -9999, 9999);
  }

  // `place` is the power of ten of the next digit, in millionths.
  const std::string_view whole = mantissa.substr(0, mantissa.find('.'));
  std::int64_t place =
      std::count_if(whole.begin(), whole.end(), is_digit) - 1 + exponent + kDecimals;
  Wide millionths = 0;
  std::int64_t digits = 0;
  bool round_up = false;
  for (const char c : mantissa) {
    if (!is_digit(c)) continue;
    if (place >= 0) {
      if (digits > 0 || c != '0') ++digits;
      if (digits > kMostDigits) return std::nullopt;
      millionths = millionths * 10 + (c - '0');
    } else if (place == -1) {
      round_up = c >= '5';
    }
    --place;
  }
  for (; millionths != 0 && place >= 0; --place) {
    if (++digits > kMostDigits) return std::nullopt;
    millionths *= 10;
  }
  if (round_up) ++millionths;
  if (negative) millionths = -millionths;
  const Wide value =
      toward == Toward::kUp ? ceil_div(millionths, kScale) : floor_div(millionths, kScale);
  if (!fits_int64(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace ratereplay
