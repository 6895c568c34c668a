// SPDX-License-Identifier: Apache-2.0
#include "trace/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "error.hpp"
#include "trace/digits.hpp"
#include "trace/time_scan.hpp"

namespace ratereplay {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Years whose days can be added to any time of day and offset without leaving 64 bits.
constexpr int kFirstSafeYear = 1678;
constexpr int kLastSafeYear = 2261;

/// Nanoseconds of a day from the eight bytes `HH:MM:SS`, or -1.
std::int64_t day_nanos(std::uint64_t word) noexcept {
  // Digits become 0 to 9 and the colons 0; adding shows in the top bits what is neither.
  const std::uint64_t value = word ^ 0x30'30'3A'30'30'3A'30'30;
  if (((value + 0x76'76'7F'76'76'7F'76'76) | value) & 0x80'80'80'80'80'80'80'80) return -1;
  const std::uint64_t pairs = value * 10 + (value >> 8);
  const std::uint64_t hour = pairs & 0xFF;
  const std::uint64_t minute = pairs >> 24 & 0xFF;
  const std::uint64_t second = pairs >> 48 & 0xFF;
  if (hour > 23 || minute > 59 || second > 59) return -1;
  return static_cast<std::int64_t>(hour * 3'600 + minute * 60 + second) * kSecond;
}

bool safe_date(int year, int month, int day) noexcept {
  return year >= kFirstSafeYear && year <= kLastSafeYear && check_date(year, month, day).none();
}

}  // namespace

std::string TimeFormat::name() const {
  switch (style) {
    case TimeStyle::kIso:
      return "iso";
    case TimeStyle::kClf:
      return "clf";
    case TimeStyle::kRfc2822:
      return "rfc2822";
    case TimeStyle::kCtime:
      return "ctime";
    case TimeStyle::kPattern:
      return pattern;
    case TimeStyle::kEpoch:
    case TimeStyle::kRelative:
      break;
  }
  const std::string_view from = style == TimeStyle::kEpoch ? "epoch-" : "relative-";
  for (const TimeCount& unit_of : kTimeCounts) {
    if (unit_of.length == unit) return fmt::format("{}{}", from, unit_of.suffix);
  }
  return std::string(from);
}

TimeFormat parse_time_format(std::string_view text) {
  if (text == "iso" || text == "rfc3339") return {TimeStyle::kIso, {}, {}};
  if (text == "clf") return {TimeStyle::kClf, {}, {}};
  if (text == "rfc2822") return {TimeStyle::kRfc2822, {}, {}};
  if (text == "ctime") return {TimeStyle::kCtime, {}, {}};
  for (const TimeCount& unit : kTimeCounts) {
    if (text.starts_with("epoch-") && text.substr(6) == unit.suffix) {
      return {TimeStyle::kEpoch, unit.length, {}};
    }
    if (text.starts_with("relative-") && text.substr(9) == unit.suffix) {
      return {TimeStyle::kRelative, unit.length, {}};
    }
  }
  if (text.find('%') == std::string_view::npos) {
    throw Error(
        ErrorKind::kUsage, fmt::format("--time-format does not know '{}'", text),
        {"known: auto, iso, clf, rfc2822, ctime, epoch-s, epoch-ms, epoch-us, epoch-ns,",
         "relative-s, relative-ms, relative-us, relative-ns, or a pattern like '%Y-%m-%d %T'"});
  }
  if (const std::string wrong = check_pattern(text); !wrong.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("--time-format cannot use '{}'", text), {wrong});
  }
  return {TimeStyle::kPattern, {}, std::string(text)};
}

TimeReader::TimeReader(TimeFormat format)
    : format_(std::move(format)), in_zone_(!format_.zone.is_utc()) {
  for (const TimeCount& unit : kTimeCounts) {
    if (unit.length == format_.unit) unit_digits_ = unit.digits;
  }
  unit_nanos_ = kPowersOfTen[static_cast<std::size_t>(unit_digits_)];
  most_units_ = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / unit_nanos_;
}

bool TimeReader::read(std::string_view text, Instant& at) noexcept {
  // Many stamps are the same as the one before. Where stamps of a repeated hour are counted, each
  // is looked at.
  const bool kept = text.size() - last_head_.size() <= last_tail_.size() && !in_zone_;
  const char* const tail = kept ? text.data() + text.size() - last_tail_.size() : nullptr;
  if (kept && text.size() == last_size_ &&
      std::memcmp(tail, last_tail_.data(), last_tail_.size()) == 0 &&
      std::memcmp(text.data(), last_head_.data(), last_head_.size()) == 0) {
    at = last_;
    return true;
  }
  std::int64_t nanos = 0;
  if (!read_anew(text, nanos)) return false;
  at = Instant(Duration(nanos));
  if (kept) {
    std::memcpy(last_head_.data(), text.data(), last_head_.size());
    std::memcpy(last_tail_.data(), tail, last_tail_.size());
    last_size_ = text.size();
    last_ = at;
  }
  return true;
}

bool TimeReader::read_anew(std::string_view text, std::int64_t& nanos) noexcept {
  bool done = false;
  switch (format_.style) {
    case TimeStyle::kEpoch:
    case TimeStyle::kRelative:
      done = read_number(text, nanos);
      break;
    case TimeStyle::kIso:
      done = read_iso(text, nanos);
      break;
    case TimeStyle::kClf:
      done = read_clf(text, nanos);
      break;
    case TimeStyle::kRfc2822:
    case TimeStyle::kCtime:
    case TimeStyle::kPattern:
      break;
  }
  if (done) [[likely]]
    return true;
  fault_ = scan(text, nanos);
  return fault_.none();
}

TimeFault TimeReader::scan_civil(std::string_view text, Civil& civil) const noexcept {
  switch (format_.style) {
    case TimeStyle::kClf:
      return scan_clf(text, civil);
    case TimeStyle::kRfc2822:
      return scan_rfc2822(text, civil);
    case TimeStyle::kCtime:
      return scan_ctime(text, civil);
    case TimeStyle::kPattern:
      return scan_pattern(format_.pattern, text, civil);
    case TimeStyle::kIso:
    case TimeStyle::kEpoch:
    case TimeStyle::kRelative:
      break;
  }
  return scan_iso(text, civil);
}

TimeFault TimeReader::scan(std::string_view text, std::int64_t& nanos) noexcept {
  if (format_.number()) return scan_number(text, unit_digits_, nanos);
  Civil civil;
  if (const TimeFault fault = scan_civil(text, civil); !fault.none()) return fault;
  if (civil.epoch) return join_seconds(*civil.epoch, civil.nanos, nanos);
  if (!civil.has_year) {
    if (!format_.year) return {TimeFault::What::kNoYear, 0, 0, 0};
    civil.year = format_.year->year_of(civil.month, civil.day);
  }
  std::int64_t wall = 0;
  if (const TimeFault fault = wall_seconds(civil, wall); !fault.none()) return fault;
  if (civil.has_zone) return join_seconds(wall - civil.offset, civil.nanos, nanos);
  if (!in_zone_) return join_seconds(wall, civil.nanos, nanos);
  const Zone::Span span = format_.zone.span_at(wall);
  if (span.shown == Zone::Shown::kNever) return {TimeFault::What::kSkipped, 0, 0, 0};
  const TimeFault fault = join_seconds(wall - span.offset, civil.nanos, nanos);
  if (fault.none() && span.shown == Zone::Shown::kTwice) ++repeated_;
  return fault;
}

std::optional<Civil> TimeReader::yearless(std::string_view text) const noexcept {
  Civil civil;
  if (format_.number() || !scan_civil(text, civil).none() || civil.has_year) return std::nullopt;
  return civil;
}

bool TimeReader::leave_zone(std::int64_t& nanos) noexcept {
  if (nanos < span_from_ || nanos >= span_until_) [[unlikely]]
    find_span(nanos);
  if (span_shown_ != Zone::Shown::kOnce) [[unlikely]] {
    if (span_shown_ == Zone::Shown::kNever) return false;
    ++repeated_;
  }
  nanos -= span_offset_;
  return true;
}

void TimeReader::find_span(std::int64_t wall) noexcept {
  const auto nanos_of = [](std::int64_t seconds) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kSecond;
    return std::clamp(seconds, -kMost, kMost) * kSecond;
  };
  const Zone::Span span = format_.zone.span_at(wall / kSecond - (wall % kSecond < 0 ? 1 : 0));
  span_from_ = nanos_of(span.from);
  span_until_ = nanos_of(span.until);
  span_offset_ = span.offset * kSecond;
  span_shown_ = span.shown;
}

std::string TimeReader::reason() const {
  if (fault_.what == TimeFault::What::kSkipped) {
    return fmt::format("the clocks of {} were put forward over this time", format_.zone.name());
  }
  switch (format_.style) {
    case TimeStyle::kIso:
      return fault_.reason("an RFC 3339 time");
    case TimeStyle::kClf:
      return fault_.reason("a time like 02/Jan/2026:03:04:05 +0000");
    case TimeStyle::kRfc2822:
      return fault_.reason("a time like Fri, 02 Jan 2026 03:04:05 +0000");
    case TimeStyle::kCtime:
      return fault_.reason("a time like Fri Jan  2 03:04:05 2026");
    case TimeStyle::kPattern:
      return fault_.reason(fmt::format("a time like {}", format_.pattern));
    case TimeStyle::kEpoch:
    case TimeStyle::kRelative:
      break;
  }
  return fault_.reason("a number");
}

/// `yyyy-mm-ddThh:mm:ss`, a fraction of up to nine digits, and nothing, `Z` or `+hh:mm`.
bool TimeReader::read_iso(std::string_view text, std::int64_t& nanos) noexcept {
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kClock = 19;
  if (text.size() < kClock) return false;
  const char* const at = text.data();
  const std::array<std::uint64_t, 2> date = {load8(at), load2(at + 8)};
  if (date != date_text_) [[unlikely]] {
    int year = 0;
    int month = 0;
    int day = 0;
    const char separator = at[4];
    if ((separator != '-' && separator != '/') || at[7] != separator ||
        !two_digits(at + 5, month) || !two_digits(at + 8, day) || !four_digits(at, year) ||
        !safe_date(year, month, day)) {
      return false;
    }
    date_nanos_ = day_number(year, month, day) * 86'400 * kSecond;
    date_text_ = date;
  }
  if ((at[kDate] | 0x20) != 't' && at[kDate] != ' ') return false;
  const std::int64_t clock = day_nanos(load8(at + kDate + 1));
  if (clock < 0) return false;
  std::int64_t sum = date_nanos_ + clock;

  std::size_t used = kClock;
  if (used < text.size() && (at[used] == '.' || at[used] == ',')) {
    const Fraction fraction = read_fraction(text, used + 1);
    if (fraction.digits == 0) return false;
    sum += fraction.nanos;
    used += 1 + fraction.digits;
  }
  const std::size_t left = text.size() - used;
  if (left == 6 && (at[used] == '+' || at[used] == '-') && at[used + 3] == ':') {
    int hours = 0;
    int minutes = 0;
    if (!two_digits(at + used + 1, hours) || !two_digits(at + used + 4, minutes)) return false;
    if (hours > 23 || minutes > 59) return false;
    const std::int64_t offset = (hours * 60 + minutes) * 60 * kSecond;
    sum += at[used] == '+' ? -offset : offset;
  } else if (left == 0) {
    if (in_zone_ && !leave_zone(sum)) return false;
  } else if ((left != 1 || (at[used] | 0x20) != 'z') && text.substr(used) != " UTC") {
    return false;
  }
  nanos = sum;
  return true;
}

/// `dd/Mon/yyyy:hh:mm:ss +hhmm`.
bool TimeReader::read_clf(std::string_view text, std::int64_t& nanos) noexcept {
  constexpr std::size_t kClock = 12;
  constexpr std::size_t kWhole = 26;
  if (text.size() != kWhole) return false;
  const char* const at = text.data();
  const std::array<std::uint64_t, 2> date = {load8(at), load4(at + 8)};
  if (date != date_text_) [[unlikely]] {
    int year = 0;
    int month = 0;
    int day = 0;
    while (month < 12 &&
           text.substr(3, 3) != kMonthNames[static_cast<std::size_t>(month)].substr(0, 3)) {
      ++month;
    }
    if (at[2] != '/' || at[6] != '/' || at[11] != ':' || !two_digits(at, day) ||
        !four_digits(at + 7, year) || !safe_date(year, month + 1, day)) {
      return false;
    }
    date_nanos_ = day_number(year, month + 1, day) * 86'400 * kSecond;
    date_text_ = date;
  }
  const std::uint64_t zone = load8(at + kWhole - 8) >> 16;  // " +hhmm"
  if (zone != zone_text_) [[unlikely]] {
    int hours = 0;
    int minutes = 0;
    if (at[20] != ' ' || (at[21] != '+' && at[21] != '-') || !two_digits(at + 22, hours) ||
        !two_digits(at + 24, minutes) || hours > 23 || minutes > 59) {
      return false;
    }
    const std::int64_t offset = (hours * 60 + minutes) * 60 * kSecond;
    zone_nanos_ = at[21] == '+' ? -offset : offset;
    zone_text_ = zone;
  }
  const std::int64_t clock = day_nanos(load8(at + kClock));
  if (clock < 0) return false;
  nanos = date_nanos_ + clock + zone_nanos_;
  return true;
}

bool TimeReader::read_number(std::string_view text, std::int64_t& nanos) const noexcept {
  std::uint64_t whole = 0;
  std::size_t used = 0;
  if (!read_whole(text, whole, used)) return false;
  if (whole >= most_units_) return false;
  auto sum = static_cast<std::int64_t>(whole * unit_nanos_);
  if (used < text.size()) {
    if (text[used] != '.') return false;
    const Fraction fraction = read_fraction(text, used + 1);
    if (fraction.digits == 0 || used + 1 + fraction.digits != text.size()) return false;
    if (unit_digits_ == 9) {
      sum += fraction.nanos;
    } else {
      const auto below =
          static_cast<std::int64_t>(kPowersOfTen[static_cast<std::size_t>(9 - unit_digits_)]);
      sum += (fraction.nanos + below / 2) / below;
    }
  }
  nanos = sum;
  return true;
}

}  // namespace ratereplay
