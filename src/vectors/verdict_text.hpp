// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "report/json_writer.hpp"
#include "vectors/verify.hpp"

namespace ratereplay {

/// What was verified, for messages and outputs: "our policies", or the command of a driver.
struct VerifyReport {
  std::string subject;
  std::vector<FileVerdict> files;

  [[nodiscard]] bool agrees() const noexcept;
};

/// Cases and results in a table, every first divergence below it.
[[nodiscard]] std::string verify_table(const VerifyReport& report, bool color);
[[nodiscard]] std::string verify_json(const VerifyReport& report);
/// JUnit's XML as CI systems read it: a suite per file, a test per case.
[[nodiscard]] std::string verify_junit(const VerifyReport& report);

}  // namespace ratereplay
