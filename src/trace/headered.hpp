// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format.hpp"

namespace ratereplay {

/// Tables whose columns are named by `#` lines; see table_header.hpp. A row before the first
/// header, or with another number of fields than the header in force, is bad.
[[nodiscard]] const Format& w3c_format();
[[nodiscard]] const Format& zeek_format();

}  // namespace ratereplay
