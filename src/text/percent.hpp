// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ratereplay {

/// The share of a whole above 0 in thousandths of a percent, rounded half up: "0.006%".
[[nodiscard]] std::string exact_percent(std::uint64_t part, std::uint64_t whole);

}  // namespace ratereplay
