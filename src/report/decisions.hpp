// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "report/decided.hpp"
#include "report/output_file.hpp"

namespace ratereplay {

/// Writes each decision as a line of CSV, under a line of names. The policies' labels are in the
/// order of the answers.
[[nodiscard]] std::unique_ptr<DecisionSink> decisions_csv(OutputFile& file,
                                                          std::span<const std::string> labels);

/// The same as one JSON object per line.
[[nodiscard]] std::unique_ptr<DecisionSink> decisions_ndjson(OutputFile& file,
                                                             std::span<const std::string> labels);

}  // namespace ratereplay
