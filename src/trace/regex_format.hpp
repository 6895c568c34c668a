// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// Lines that a regular expression of RE2 matches somewhere (`^` and `$` anchor it); the fields are
/// its named groups, `(?P<name>…)` or `(?<name>…)`. Bytes are matched one by one (Latin-1).
/// Error(kUsage) for a pattern that RE2 refuses, or one without a named group.
[[nodiscard]] std::shared_ptr<const Format> make_regex_format(std::string_view pattern);

}  // namespace ratereplay
