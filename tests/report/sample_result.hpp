// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/result.hpp"

namespace ratereplay::test {

/// A policy from its text, with nothing measured yet.
[[nodiscard]] PolicyResult sample_policy(const std::string& spec);

/// The run of the specification's example: two policies over an access log.
[[nodiscard]] Result sample_result();

/// Every field used, and hostile texts wherever a text can stand.
[[nodiscard]] Result hostile_result();

/// The greatest number in every place that holds one, and long names.
[[nodiscard]] Result extreme_result();

}  // namespace ratereplay::test
