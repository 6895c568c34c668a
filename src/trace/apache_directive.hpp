// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/line_template.hpp"

namespace ratereplay {

/// One `%…` of a LogFormat.
struct ApacheDirective {
  std::string name;  ///< of the field
  FieldShape shape = FieldShape::kWord;
  std::string pattern;     ///< strptime; of %{…}t only
  std::size_t offset = 0;  ///< where it stands in the format
};

/// %{msec}t and %{usec}t, which no strptime pattern says.
inline constexpr std::string_view kApacheMsec = "msec";
inline constexpr std::string_view kApacheUsec = "usec";

/// Reads the directive at `text[at]`, a `%`, and moves `at` behind it. Error(kUsage) for one that
/// is not known.
[[nodiscard]] ApacheDirective take_directive(std::string_view family, std::string_view text,
                                             std::size_t& at);

}  // namespace ratereplay
