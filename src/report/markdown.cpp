// SPDX-License-Identifier: Apache-2.0
#include "report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/number_text.hpp"
#include "report/table.hpp"
#include "report/table_labels.hpp"
#include "spec/duration_text.hpp"

namespace ratereplay {
namespace {

/// As code, so that nothing in it is markup. A cell's bar is escaped even there.
std::string code(std::string_view text) {
  const std::string shown = shown_text(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string pad = longest == 0 ? "" : " ";
  std::string out = fence + pad;
  for (const char c : shown) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out + pad + fence;
}

std::string memory_text(const std::optional<MemoryUse>& use, std::string MemoryUse::*digits) {
  if (!use) return "-";
  const auto bytes = parse_digits((*use).*digits);
  return bytes ? bytes_text(*bytes) : (*use).*digits;
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string wait_text(const Distribution& waits, Duration wait) {
  return waits.count == 0 ? "-" : span_text(wait);
}

}  // namespace

std::string markdown_text(const Result& result) {
  const TraceFacts& trace = result.trace;
  std::string out =
      row({"Policy", "Admitted", "Refused", "Refused %", "Keys refused", "Most in one window",
           "Retry p50", "Retry p99", "Reserved", "Live peak", "Agreement"});
  out += "|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const PolicyResult& policy : result.policies) {
    const Distribution& waits = policy.retry_after;
    const Agreement& agreement = policy.agreement;
    const Ratio agreed{agreement.agree, agreement.agree + agreement.looser + agreement.stricter};
    std::string label = code(policy.label());
    if (!policy.name.empty()) label += " = " + code(policy.spec);
    out += row({label, grouped_text(policy.admitted), grouped_text(policy.refused),
                percent_text({policy.refused, policy.admitted + policy.refused}),
                grouped_text(policy.keys_refused), grouped_text(policy.worst.admitted),
                wait_text(waits, waits.p50), wait_text(waits, waits.p99),
                memory_text(policy.memory, &MemoryUse::reserved_bytes),
                memory_text(policy.memory, &MemoryUse::live_peak_bytes),
                policy.label() == result.reference ? "reference" : percent_text(agreed) + "%"});
  }
  std::size_t checks = 0;
  for (const PolicyResult& policy : result.policies) checks += policy.checks.size();
  if (checks != 0) {
    out += '\n' + row({"Check", "Policy", "Value", "Holds"}) + "|:--|:--|--:|:--|\n";
    for (const PolicyResult& policy : result.policies) {
      for (const CheckResult& check : policy.checks) {
        out += row({code(check.expression), code(policy.label()), check.value.value_or("-"),
                    check.passed ? "yes" : "**no**"});
      }
    }
  }
  return out + fmt::format(
                   "\n{} requests, {} keys, {}; {} bad and {} filtered of {} rows. Open loop: "
                   "clients do not react to refusals.\n",
                   grouped_text(trace.requests), grouped_text(trace.keys),
                   span_text(trace.first, trace.last), grouped_text(trace.bad),
                   grouped_text(trace.filtered), grouped_text(trace.rows));
}

}  // namespace ratereplay
