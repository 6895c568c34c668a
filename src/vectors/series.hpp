// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vectors/vector_file.hpp"

namespace ratereplay {

/// Steps that are alike but for their instants, which lie `step` apart.
struct Series {
  std::int64_t at = 0;
  std::int64_t step = 0;
  std::uint64_t count = 1;

  friend bool operator==(const Series&, const Series&) = default;
};

/// START[+STEP]xCOUNT: "900+10x3" is 900, 910, 920, and "900x3" three times 900.
/// COUNT >= 1. nullopt when the text is no series.
[[nodiscard]] std::optional<Series> parse_series(std::string_view text);
[[nodiscard]] std::string series_text(const Series& series);

/// The longest series that the steps begin with; of one step when the next is another.
[[nodiscard]] Series leading_series(std::span<const VectorStep> steps);

}  // namespace ratereplay
