// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ratereplay/time.hpp"

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
};

}  // namespace ratereplay
