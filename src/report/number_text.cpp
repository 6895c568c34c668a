// SPDX-License-Identifier: Apache-2.0
#include "report/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace ratereplay {
namespace {

/// value / unit, rounded half up.
Digits divide(Digits value, Digits unit) {
  return value / unit + (value % unit >= unit - unit / 2);
}

/// Tenths of a unit as "56.5".
std::string tenths_text(Digits tenths) {
  return fmt::format("{}.{}", count_text(tenths / 10), static_cast<unsigned>(tenths % 10));
}

std::string magnitude_text(std::uint64_t ns) {
  if (ns == 0) return "0";
  if (ns < 1000) return fmt::format("{} ns", ns);
  std::uint64_t unit = 1000;
  for (const std::string_view name : {"us", "ms", "s"}) {
    const Digits tenths = divide(Digits{ns} * 10, unit);
    const Digits whole = divide(ns, unit);
    const bool seconds = name == "s";
    if (seconds ? tenths < 600 : whole < 1000) {
      const bool short_form = (seconds || tenths < 100) && tenths % 10 != 0;
      return fmt::format("{} {}", short_form ? tenths_text(tenths) : count_text(whole), name);
    }
    unit *= 1000;
  }
  const auto seconds = static_cast<std::uint64_t>(divide(ns, 1'000'000'000));
  const std::uint64_t minutes = seconds / 60;
  const std::uint64_t hours = minutes / 60;
  if (minutes < 60) return fmt::format("{}m{:02}s", minutes, seconds % 60);
  if (hours < 24) return fmt::format("{}h{:02}m", hours, minutes % 60);
  if (hours < 100 * 24) return fmt::format("{}d{:02}h", hours / 24, hours % 24);
  return fmt::format("{}d", hours / 24);
}

std::uint64_t bits(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }

}  // namespace

std::string ms_text(Duration duration) {
  std::array<char, kNumberBytes> buffer;
  return {buffer.data(), write_ms(buffer.data(), duration.count())};
}

std::string ms_text(Instant instant) { return ms_text(instant.time_since_epoch()); }

std::optional<std::int64_t> parse_ms(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (point == 0 || fraction.size() > 6 || point + 1 == text.size()) return std::nullopt;
  std::string digits(text.substr(0, point));
  digits.append(fraction).append(6 - fraction.size(), '0');
  const std::optional<Digits> magnitude = parse_digits(digits);
  constexpr Digits kMost = std::numeric_limits<std::int64_t>::max();
  if (!magnitude || *magnitude > kMost + (negative ? 1 : 0)) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(*magnitude);
  return static_cast<std::int64_t>(negative ? 0 - bits : bits);
}

std::string count_text(Digits value) {
  std::array<char, 40> buffer;
  char* begin = buffer.data() + buffer.size();
  do {
    *--begin = static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  return {begin, buffer.data() + buffer.size()};
}

std::string grouped_text(std::uint64_t value) {
  std::string text = count_text(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string compact_text(std::uint64_t value) {
  if (value < 100'000) return grouped_text(value);
  Digits unit = 1000;
  for (const char suffix : {'k', 'M', 'G', 'T', 'P', 'E'}) {
    if (const Digits tenths = divide(Digits{value} * 10, unit); tenths < 10'000) {
      return tenths_text(tenths) + suffix;
    }
    unit *= 1000;
  }
  return grouped_text(value);
}

std::optional<std::string> ratio_text(Ratio ratio, int decimals) {
  if (ratio.whole == 0) return std::nullopt;
  Digits scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  const Digits scaled = divide(ratio.part * scale, ratio.whole);
  std::string text = count_text(scaled / scale);
  if (decimals > 0) text += fmt::format(".{:0>{}}", count_text(scaled % scale), decimals);
  return text;
}

std::string percent_text(Ratio ratio) {
  if (ratio.whole == 0) return "-";
  const Digits hundredths = divide(Digits{ratio.part} * 10'000, ratio.whole);
  return fmt::format("{}.{:02}", count_text(hundredths / 100),
                     static_cast<unsigned>(hundredths % 100));
}

std::optional<Digits> parse_digits(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  constexpr Digits kMost = ~Digits{0};
  Digits value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<unsigned>(c - '0');
    if (value > (kMost - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::string bytes_text(Digits bytes) {
  if (bytes < 1024) return count_text(bytes) + " B";
  Digits unit = 1024;
  for (const std::string_view name : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}) {
    const Digits whole = bytes / unit;
    const Digits tenths = whole * 10 + divide(bytes % unit * 10, unit);
    if (tenths < 1000) return fmt::format("{} {}", tenths_text(tenths), name);
    if (const Digits rounded = whole + (bytes % unit >= unit / 2); rounded < 1024) {
      return fmt::format("{} {}", count_text(rounded), name);
    }
    unit *= 1024;
  }
  return ">1023 YiB";
}

std::string span_text(Duration duration) {
  const std::int64_t ns = duration.count();
  return ns < 0 ? '-' + magnitude_text(0 - bits(ns)) : magnitude_text(bits(ns));
}

std::string span_text(Instant first, Instant last) {
  return magnitude_text(bits(last.time_since_epoch().count()) -
                        bits(first.time_since_epoch().count()));
}

}  // namespace ratereplay
