// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ratereplay/time.hpp"
#include "trace/civil.hpp"

namespace ratereplay {

/// How the instants of a trace are written. One per file, never chosen row by row.
enum class TimeStyle : std::uint8_t {
  kEpoch,     ///< a number since 1970-01-01T00:00:00Z, in `unit`
  kRelative,  ///< a number since the start of the trace, in `unit`
  kIso,       ///< RFC 3339 and its relatives, e.g. 2026-01-02 03:04:05.678 UTC
  kClf,       ///< 02/Jan/2026:03:04:05 +0000
  kRfc2822,   ///< Fri, 02 Jan 2026 03:04:05 +0000
  kPattern,   ///< a strptime pattern
};

struct TimeFormat {
  TimeStyle style = TimeStyle::kIso;
  Duration unit{0};     ///< kEpoch, kRelative: 1 s, 1 ms, 1 us or 1 ns
  std::string pattern;  ///< kPattern

  /// What --time-format takes to pin it: "iso", "clf", "epoch-ms", "relative-s", the pattern.
  [[nodiscard]] std::string name() const;
  /// False for times that count from the start of the trace.
  [[nodiscard]] bool absolute() const noexcept { return style != TimeStyle::kRelative; }

  friend bool operator==(const TimeFormat&, const TimeFormat&) = default;
};

/// The format of that name, or of a strptime pattern. Throws Error(kUsage) for another text.
[[nodiscard]] TimeFormat parse_time_format(std::string_view text);

/// Reads instants written in one format: digit by digit, never through floating point. What a text
/// may look like is in trace/time_scan.hpp; the common spellings take a short path here. Keeps the
/// last date, so use one per thread.
class TimeReader {
 public:
  explicit TimeReader(TimeFormat format);

  /// False when `text` holds no such instant; reason() then says why.
  [[nodiscard]] bool read(std::string_view text, Instant& at) noexcept;

  /// Why the last read that answered false did so.
  [[nodiscard]] std::string reason() const;

 private:
  [[nodiscard]] bool read_iso(std::string_view text, std::int64_t& nanos) noexcept;
  [[nodiscard]] bool read_clf(std::string_view text, std::int64_t& nanos) noexcept;
  [[nodiscard]] bool read_number(std::string_view text, std::int64_t& nanos) const noexcept;
  [[nodiscard]] TimeFault scan(std::string_view text, std::int64_t& nanos) const noexcept;

  TimeFormat format_;
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
};

}  // namespace ratereplay
