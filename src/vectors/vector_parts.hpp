// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "vectors/vector_file.hpp"

namespace ratereplay {

/// What the readers of both forms share.

/// nullptr when there is none of that name.
[[nodiscard]] const Unit* find_unit(std::string_view name);
[[nodiscard]] std::string unit_advice();
/// Which times there are in that unit.
[[nodiscard]] std::string range_advice(Unit unit);

[[nodiscard]] VectorFile vectors_from_json(std::string_view text, const std::string& name);
[[nodiscard]] VectorFile vectors_from_csv(std::string_view text, const std::string& name);

}  // namespace ratereplay
