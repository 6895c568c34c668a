// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/result.hpp"

namespace ratereplay {

class JsonWriter;

/// Version of the shape in docs/schema/result.schema.json.
inline constexpr std::string_view kResultSchemaVersion = "1.0";

/// The result as one JSON document that ends with a line feed. The same result gives the same
/// bytes.
[[nodiscard]] std::string json_text(const Result& result);

/// The members of its `trace` object, for documents that add their own.
void write_trace_members(JsonWriter& json, const TraceFacts& trace);

/// `"key": …`, and `"keyBase64": …` beside it when the key is not UTF-8.
void write_key(JsonWriter& json, std::string_view key);

}  // namespace ratereplay
