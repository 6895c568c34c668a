// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/result.hpp"

namespace ratereplay {

/// The summary as a table of GitHub's Markdown, for a comment or a page.
[[nodiscard]] std::string markdown_text(const Result& result);

}  // namespace ratereplay
