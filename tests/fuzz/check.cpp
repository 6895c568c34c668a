// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "error.hpp"
#include "fuzz/targets.hpp"
#include "report/checks.hpp"
#include "report/sample_result.hpp"
#include "spec/policy_spec.hpp"

/// Input: one --check a line.
namespace ratereplay::fuzz {
namespace {

bool holds(const std::vector<Check>& checks, Result& result) {
  for (PolicyResult& policy : result.policies) policy.checks.clear();
  return evaluate(checks, result);
}

}  // namespace

void check(std::string_view bytes) {
  Result result = test::sample_result();
  const std::array specs = {parse_policy("sliding-log:30/1s", "-p 1"),
                            parse_policy("sliding-counter:30/1s", "-p 2")};
  require(result.policies.size() == specs.size(), "the sample result is of two policies");
  while (!bytes.empty()) {
    const std::array<std::string, 1> texts = {std::string(take_line(bytes))};
    try {
      const std::vector<Check> checks = parse_checks(texts, specs);
      require(holds(checks, result) == holds(checks, result), "a check has one answer");
    } catch (const Error& error) {
      require(error.kind() == ErrorKind::kUsage, "a check is refused as usage");
    }
  }
}

}  // namespace ratereplay::fuzz
