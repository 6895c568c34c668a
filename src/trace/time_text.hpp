// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ratereplay/time.hpp"
#include "trace/civil.hpp"
#include "trace/zone.hpp"

namespace ratereplay {

/// A unit that numbers count time in, by the name that flags and field names give it.
struct TimeCount {
  std::string_view suffix;
  Duration length;
  int digits;  ///< the length is 10^digits ns
};
inline constexpr std::array<TimeCount, 4> kTimeCounts = {{{"s", std::chrono::seconds{1}, 9},
                                                          {"ms", std::chrono::milliseconds{1}, 6},
                                                          {"us", std::chrono::microseconds{1}, 3},
                                                          {"ns", std::chrono::nanoseconds{1}, 0}}};

/// How the instants of a trace are written. One per file, never chosen row by row.
enum class TimeStyle : std::uint8_t {
  kEpoch,     ///< a number since 1970-01-01T00:00:00Z, in `unit`
  kRelative,  ///< a number since the start of the trace, in `unit`
  kIso,       ///< RFC 3339 and its relatives, e.g. 2026-01-02 03:04:05.678 UTC
  kClf,       ///< 02/Jan/2026:03:04:05 +0000
  kRfc2822,   ///< Fri, 02 Jan 2026 03:04:05 +0000
  kCtime,     ///< Fri Jan  2 03:04:05 2026, or without the year as syslog writes it
  kPattern,   ///< a strptime pattern
};

struct TimeFormat {
  TimeStyle style = TimeStyle::kIso;
  Duration unit{0};                  ///< kEpoch, kRelative: 1 s, 1 ms, 1 us or 1 ns
  std::string pattern;               ///< kPattern
  Zone zone{};                       ///< of stamps that name none
  std::optional<YearWindow> year{};  ///< of stamps without one

  /// What --time-format takes to pin it: "iso", "clf", "epoch-ms", "relative-s", the pattern.
  /// Zone and year are pinned by flags of their own.
  [[nodiscard]] std::string name() const;
  /// False for times that count from the start of the trace.
  [[nodiscard]] bool absolute() const noexcept { return style != TimeStyle::kRelative; }
  /// Stamps that name no zone are not read as UTC.
  [[nodiscard]] bool zoned() const noexcept { return !number() && !zone.is_utc(); }
  /// Numbers, which need neither zone nor year.
  [[nodiscard]] bool number() const noexcept {
    return style == TimeStyle::kEpoch || style == TimeStyle::kRelative;
  }

  friend bool operator==(const TimeFormat&, const TimeFormat&) = default;
};

/// The format of that name, or of a strptime pattern. Throws Error(kUsage) for another text.
[[nodiscard]] TimeFormat parse_time_format(std::string_view text);

/// Reads instants written in one format: digit by digit, never through floating point. What a text
/// may look like is in trace/time_scan.hpp; the common spellings take a short path here. Keeps the
/// last date, so use one per thread.
///
/// A stamp that names no zone is read in the zone of the format. One that its clock showed twice is
/// the first of the two, and is counted; one that it never showed is refused.
class TimeReader {
 public:
  explicit TimeReader(TimeFormat format);

  /// False when `text` holds no such instant; reason() then says why.
  [[nodiscard]] bool read(std::string_view text, Instant& at) noexcept;

  /// The date as written, where `text` is a stamp of the format without a year.
  [[nodiscard]] std::optional<Civil> yearless(std::string_view text) const noexcept;

  /// Why the last read that answered false did so.
  [[nodiscard]] std::string reason() const;

  /// How many of the stamps since the last call the clock of the zone showed twice.
  [[nodiscard]] std::uint64_t take_repeated() noexcept { return std::exchange(repeated_, 0); }

 private:
  [[nodiscard]] bool read_anew(std::string_view text, std::int64_t& nanos) noexcept;
  [[nodiscard]] bool read_iso(std::string_view text, std::int64_t& nanos) noexcept;
  [[nodiscard]] bool read_clf(std::string_view text, std::int64_t& nanos) noexcept;
  [[nodiscard]] bool read_number(std::string_view text, std::int64_t& nanos) const noexcept;
  [[nodiscard]] TimeFault scan(std::string_view text, std::int64_t& nanos) noexcept;
  [[nodiscard]] TimeFault scan_civil(std::string_view text, Civil& civil) const noexcept;
  /// From the wall clock of the zone to UTC, both in nanoseconds.
  [[nodiscard]] bool leave_zone(std::int64_t& nanos) noexcept;
  void find_span(std::int64_t wall) noexcept;

  TimeFormat format_;
  bool in_zone_;         // not in UTC
  int unit_digits_ = 9;  // a unit is 10^this nanoseconds
  std::uint64_t unit_nanos_ = 1;
  std::uint64_t most_units_ = 0;  // fewer than this many are sure to fit
  TimeFault fault_;
  // The text of the date last read, of the zone last read, and what they stand for. They start as
  // words that no text fills.
  std::array<std::uint64_t, 2> date_text_ = {~std::uint64_t{0}, ~std::uint64_t{0}};
  std::int64_t date_nanos_ = 0;
  std::uint64_t zone_text_ = ~std::uint64_t{0};
  std::int64_t zone_nanos_ = 0;
  // The stretch of the zone's clock that was read last, in nanoseconds; at first none.
  std::int64_t span_from_ = 0;
  std::int64_t span_until_ = 0;
  std::int64_t span_offset_ = 0;
  Zone::Shown span_shown_ = Zone::Shown::kOnce;
  std::uint64_t repeated_ = 0;
  // The first and the last 16 bytes of the last stamp of 16 to 32 bytes, and the instant.
  std::array<char, 16> last_head_{};
  std::array<char, 16> last_tail_{};
  std::size_t last_size_ = 0;
  Instant last_{};
};

}  // namespace ratereplay
