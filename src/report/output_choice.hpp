// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ratereplay {

/// What one `-o FORMAT[=FILE]` asks for.
struct OutputChoice {
  std::size_t format = 0;  ///< index in the names of the formats
  std::string path;        ///< empty = standard output
};

/// Parses every `-o`. Error(kUsage): unknown format (the nearest is suggested), two on standard
/// output, one file twice.
[[nodiscard]] std::vector<OutputChoice> parse_output_choices(
    std::span<const std::string> texts, std::span<const std::string_view> names);

/// Adds the first format on standard output when nothing else goes there.
void add_default_output(std::vector<OutputChoice>& choices);

}  // namespace ratereplay
