// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trace/format.hpp"

namespace ratereplay {

/// The list of input formats, in the order in which equal scores are preferred.
[[nodiscard]] std::span<const Format* const> formats();

}  // namespace ratereplay
