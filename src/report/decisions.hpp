// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "report/decision_row.hpp"
#include "report/output_file.hpp"

namespace ratereplay {

/// Writes each decision as a line of CSV, under a line of names. What was written has reached
/// `file` when write() returns. The policies' labels are in the order of DecisionRow::policy.
[[nodiscard]] std::unique_ptr<DecisionSink> decisions_csv(OutputFile& file,
                                                          std::span<const std::string> labels);

/// The same as one JSON object per line.
[[nodiscard]] std::unique_ptr<DecisionSink> decisions_ndjson(OutputFile& file,
                                                             std::span<const std::string> labels);

}  // namespace ratereplay
