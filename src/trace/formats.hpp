// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// The list of input formats, in the order in which equal scores are preferred.
[[nodiscard]] std::span<const Format* const> formats();

/// Formats that are made from a text: `-F regex:PATTERN`. Never detected.
struct FormatFamily {
  std::string_view name;
  std::string_view parameter;  ///< what stands behind the colon, for help
  std::string_view example;    ///< a whole -F
  /// Error(kUsage) for a parameter that makes no format, Error(kInput) when it names a file that
  /// cannot be read.
  std::shared_ptr<const Format> (*make)(std::string_view parameter);
};

[[nodiscard]] std::span<const FormatFamily> format_families();

}  // namespace ratereplay
