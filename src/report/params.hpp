// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/policies.hpp"

namespace ratereplay {

/// One parameter of a policy under its name in the outputs.
struct Param {
  std::string_view name;             ///< camelCase, with the unit
  std::optional<std::string> value;  ///< absent: takes one, and was given none
  bool number = false;
};

/// Algorithm, limit, windowMs, capacity, and every other option that the policy takes.
[[nodiscard]] std::vector<Param> params_of(const AnyPolicy& policy);

}  // namespace ratereplay
