// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// What a table the sample is, with one of the `own` delimiters. When only one of `others` makes a
/// table of it the score is 0, and the layout is that table's, for a format that was asked for.
[[nodiscard]] Recognition recognise_table(const Sample& sample, std::string_view own,
                                          std::string_view others);

}  // namespace ratereplay
