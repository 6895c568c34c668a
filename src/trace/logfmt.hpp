// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format.hpp"

namespace ratereplay {

/// Lines of `key=value` pairs. A value is a bare word or stands in double quotes, with the escapes
/// of JSON; a word without `=` is a key with an empty value. Of a key that comes twice the first
/// counts. A line without any pair is bad; blank lines and `#` lines are none.
[[nodiscard]] const Format& logfmt_format();

}  // namespace ratereplay
