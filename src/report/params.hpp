// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/policies.hpp"
#include "report/json_writer.hpp"

namespace ratereplay {

/// One parameter of a policy under its name in the outputs.
struct Param {
  std::string_view name;             ///< camelCase, with the unit
  std::optional<std::string> value;  ///< absent: takes one, and was given none
  bool number = false;
};

/// Algorithm, limit, windowMs, capacity, and every other option that the policy takes.
[[nodiscard]] std::vector<Param> params_of(const AnyPolicy& policy);

/// The same as the member `params` of the JSON object that is open.
void write_params(JsonWriter& json, const AnyPolicy& policy);

}  // namespace ratereplay
