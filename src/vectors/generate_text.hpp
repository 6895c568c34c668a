// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "vectors/generate.hpp"
#include "vectors/vector_file.hpp"

namespace ratereplay {

struct GeneratedVectors {
  VectorFile file;
  std::vector<Coverage> coverage;  ///< one per policy; empty when they come from a trace
};

/// What each case pins and which rivals it rules out, in a table.
[[nodiscard]] std::string generated_table(const GeneratedVectors& made, bool color);

}  // namespace ratereplay
