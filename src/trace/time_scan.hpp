// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/civil.hpp"

namespace ratereplay {

/// The complete readers behind TimeReader's short paths: one text, what it says. Blanks around the
/// text are ignored; digits past the ninth decimal of a second are rounded half up.

/// RFC 3339 and its relatives: `2026-01-02T03:04:05.678+01:00`; `/` for `-`, a blank for `T`, `,`
/// for `.`; seconds may be missing; the zone is `Z`, `UTC`, `GMT`, `+hh`, `+hhmm`, `+hh:mm` or
/// missing. Also without separators: `20260102T030405Z`.
[[nodiscard]] TimeFault scan_iso(std::string_view text, Civil& civil) noexcept;

/// `02/Jan/2026:03:04:05 +0000`, in brackets or not; a fraction is read.
[[nodiscard]] TimeFault scan_clf(std::string_view text, Civil& civil) noexcept;

/// `Fri, 02 Jan 2026 03:04:05 +0000`; the name of the day, the seconds and a comment after the
/// offset are optional.
[[nodiscard]] TimeFault scan_rfc2822(std::string_view text, Civil& civil) noexcept;

/// `Fri Jan  2 03:04:05 2026`, in brackets or not; the name of the day, a fraction, a zone and the
/// year are optional, and the year may stand before the month or the clock. `Jan  2 03:04:05` is
/// how syslog writes.
[[nodiscard]] TimeFault scan_ctime(std::string_view text, Civil& civil) noexcept;

/// A decimal number of 10^`unit_digits` nanoseconds, with sign, decimals and exponent.
[[nodiscard]] TimeFault scan_number(std::string_view text, int unit_digits,
                                    std::int64_t& nanos) noexcept;

/// A strptime pattern; see check_pattern.
[[nodiscard]] TimeFault scan_pattern(std::string_view pattern, std::string_view text,
                                     Civil& civil) noexcept;

/// Why a pattern cannot be used; empty when it can. Known: %Y %m %d %H %M %S %f %z %Z %b %B %h %y
/// %e %j %s %a %A %I %p %T %R %D %F %n %t %%. A fraction is read after %S and %s even where the
/// pattern has none.
[[nodiscard]] std::string check_pattern(std::string_view pattern);

/// True for a valid pattern whose instants need a year from elsewhere.
[[nodiscard]] bool lacks_year(std::string_view pattern);

}  // namespace ratereplay
