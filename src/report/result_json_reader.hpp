// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/result.hpp"

namespace ratereplay {

/// The result behind a document that json_text wrote: every output drawn from it has the same
/// bytes as that of the run. Error(kInput), calling the document `name`: no JSON, another
/// schemaVersion, a member that is missing, unknown, or contradicts the others.
[[nodiscard]] Result result_from_json(std::string_view text, const std::string& name);

/// The same from a file; "-" is standard input. Error(kInput) when it cannot be read.
[[nodiscard]] Result read_result(const std::string& path);

}  // namespace ratereplay
