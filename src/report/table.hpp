// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/result.hpp"

namespace ratereplay {

/// The summary for reading, at most 100 columns wide. Ends with a line feed.
[[nodiscard]] std::string table_text(const Result& result, bool color = false);

/// Its lines about the trace: what was read and how much.
[[nodiscard]] std::string trace_text(const TraceFacts& trace);

/// An instant for reading: "2025-08-21T00:00:01.052Z", or "1052 ms" in a relative trace.
[[nodiscard]] std::string instant_text(Instant instant, bool absolute);

}  // namespace ratereplay
