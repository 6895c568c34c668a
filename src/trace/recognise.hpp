// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// A format chosen for a sample.
struct FormatChoice {
  const Format* format = nullptr;
  std::shared_ptr<const Format> made;  ///< keeps `format` where it was made from the flag
  Layout layout;
  std::string runner_up;  ///< what -F names another that explains it nearly as well, or empty
};

/// By content, or by name with `pinned`. Error(kUsage) for an unknown name and a parameter that
/// makes no format; Error(kInput) for an
/// empty file and for content of no format that is read.
[[nodiscard]] FormatChoice choose_format(const Sample& sample, std::string_view file,
                                         const std::optional<std::string>& pinned);

}  // namespace ratereplay
