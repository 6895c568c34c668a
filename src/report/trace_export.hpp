// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "keys/trace_store.hpp"
#include "report/output_file.hpp"

namespace ratereplay {

/// How the canonical trace is written: a request a line, in time order, with its instant in ns, its
/// key and its cost.
enum class ExportFormat : std::uint8_t {
  kCsv,     ///< `time,key,cost`; the bytes of keys as they are
  kNdjson,  ///< {"time":…,"key":"…","cost":…}
};

/// Writes the requests, which must have been read with keep_rows. The columns of a tuple are
/// `key_1`, `key_2`, …; one key for all has none. Error(kOutput) when a key is not UTF-8 and so
/// cannot stand in JSON.
void export_trace(const TraceStore& trace, ExportFormat format, OutputFile& file);

/// The flags that read what was written as the same requests.
[[nodiscard]] std::string export_pin(const TraceStore& trace, ExportFormat format);

}  // namespace ratereplay
