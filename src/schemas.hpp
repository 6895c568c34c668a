// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ratereplay {

/// The texts of docs/schema, taken in when the program is built.
extern const std::string_view kResultSchema;
extern const std::string_view kVectorsSchema;

}  // namespace ratereplay
