// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "error.hpp"

namespace ratereplay {

/// The files that TRACE… names. A name that no file has and that holds `*`, `?` or `[` is a pattern
/// for the shell-quoted case: its matches take its place, sorted. A file that is named twice is a
/// warning. Error(kUsage) for standard input twice, Error(kInput) for a pattern without a match.
[[nodiscard]] std::vector<std::string> trace_paths(const std::vector<std::string>& given,
                                                   std::vector<Diagnostic>& warnings);

/// Error(kUsage) when standard input (-) is named twice.
void require_one_stdin(const std::vector<std::string>& paths);

/// Whether two names are of one existing file.
[[nodiscard]] bool is_same_file(const std::string& a, const std::string& b);

}  // namespace ratereplay
