// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "identify/identify.hpp"

namespace ratereplay {

/// What the outputs of an identification say beside it.
struct Subject {
  std::string name;          ///< "driver: node limiter.mjs", or the files
  bool rows = false;         ///< decisions are rows of files; else they were asked for
  std::vector<KeyPart> key;  ///< how the keys of rows were composed
  std::size_t nearest = 5;   ///< how many of the variants that are ruled out are shown
};

[[nodiscard]] std::string identification_table(const Identification& found, const Subject& subject,
                                               bool color);
[[nodiscard]] std::string identification_json(const Identification& found, const Subject& subject);

}  // namespace ratereplay
