// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format.hpp"

namespace ratereplay {

/// One object a line.
[[nodiscard]] const Format& ndjson_format();
/// One document that is a list of objects, or an object with such a list in it.
[[nodiscard]] const Format& json_format();

}  // namespace ratereplay
