// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ratereplay/time.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {

/// The instant that --since or --until names for a trace whose times are written in `format`. For
/// instants: the spelling of the trace where that is a pattern, RFC 3339 (a date alone is its
/// midnight), an access log's, or a number since 1970 whose unit follows from its size. For times
/// since the start of a trace: a duration. Error(kUsage) for another text.
[[nodiscard]] Instant parse_bound(std::string_view text, std::string_view flag,
                                  const TimeFormat& format);

}  // namespace ratereplay
