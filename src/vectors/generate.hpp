// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/variants.hpp"
#include "vectors/vector_file.hpp"

namespace ratereplay {

/// What the generated cases of one policy tell apart.
struct Coverage {
  std::size_t first_case = 0;  ///< index of the policy's first case in the file
  /// Of each case, the rivals that it is the first to rule out by its decisions.
  std::vector<std::vector<std::string>> ruled_out;
  std::vector<std::string> by_numbers;  ///< rivals that decide alike and tell other numbers
  std::vector<std::string> alike;       ///< rivals that no request was found to tell apart
};

/// Appends the cases that matter for the policy, and for each two of it and its rivals that decide
/// all of these alike, one that they decide differently. The same policy and unit give the same
/// cases. Window and clock must be whole units.
/// `without` are names of cases to leave out.
Coverage generate_cases(const PolicySpec& spec, VectorFile& file,
                        std::span<const std::string> without = {});

/// The cases of one policy before any are added for its rivals.
[[nodiscard]] std::vector<VectorCase> scripted_cases(const PolicySpec& spec, Unit unit);
/// Their names, also of those that only some policies have.
[[nodiscard]] std::vector<std::string_view> scripted_names();

}  // namespace ratereplay
