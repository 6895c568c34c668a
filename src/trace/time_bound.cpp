// SPDX-License-Identifier: Apache-2.0
#include "trace/time_bound.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "error.hpp"
#include "spec/duration_text.hpp"
#include "trace/time_choice.hpp"

namespace ratereplay {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view flag, std::string_view what,
                         std::string advice) {
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: {}", flag, text, what), {std::move(advice)});
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  return text.find_first_not_of("0123456789-") == text.npos;
}

}  // namespace

Instant parse_bound(std::string_view text, std::string_view flag, const TimeFormat& format) {
  const std::optional<Duration> duration = parse_duration(text);
  if (!format.absolute()) {
    if (duration) return Instant(*duration);
    refuse(text, flag, "the times of this trace count from its start",
           "write a duration since then: 10m, 1h, 1500ms");
  }
  Instant at{};
  if (format.style == TimeStyle::kPattern && TimeReader(format).read(text, at)) return at;
  const std::string spelled = is_date(text) ? fmt::format("{}T00:00", text) : std::string(text);
  std::string why;
  const auto guess = guess_time_format({spelled}, "", {format.zone, std::nullopt}, why);
  if (guess && guess->absolute() && TimeReader(*guess).read(spelled, at)) return at;
  refuse(text, flag,
         duration ? "this trace holds instants, not times since its start" : "no instant",
         "write 2026-01-02T03:04:05Z, 2026-01-02, or seconds or milliseconds since 1970");
}

}  // namespace ratereplay
