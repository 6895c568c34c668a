// SPDX-License-Identifier: Apache-2.0
#include "cli/run_policies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "error.hpp"

namespace ratereplay {
namespace {

constexpr std::array<const char*, 2> kDefaultPolicies = {"sliding-log:100/1s",
                                                         "sliding-counter:100/1s"};

std::vector<GivenPolicy> given_policies(const std::vector<std::string>& texts,
                                        const std::string& file) {
  std::vector<GivenPolicy> given;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    given.push_back(parse_given_policy(texts[i], fmt::format("-p {}", i + 1)));
  }
  if (!file.empty()) {
    const std::vector<GivenPolicy> listed = read_policy_file(file);
    given.insert(given.end(), listed.begin(), listed.end());
  }
  if (given.empty()) {
    for (const char* text : kDefaultPolicies) given.push_back(parse_given_policy(text, "default"));
  }
  return given;
}

/// The index of the policy that `wanted` names or spells, if there is one.
std::optional<std::size_t> find_policy(const std::string& wanted,
                                       const std::vector<PolicySpec>& specs) {
  const auto index = [&](auto found) { return static_cast<std::size_t>(found - specs.begin()); };
  const auto named = std::find_if(specs.begin(), specs.end(),
                                  [&](const PolicySpec& spec) { return spec.label() == wanted; });
  if (named != specs.end()) return index(named);
  const GivenPolicy meant = parse_given_policy(wanted, "--reference");
  const auto* const spelt = std::get_if<PolicySpec>(&meant);
  if (spelt == nullptr) return std::nullopt;
  const auto same = std::find_if(specs.begin(), specs.end(), [&](const PolicySpec& spec) {
    return spec.canonical == spelt->canonical;
  });
  return same == specs.end() ? std::nullopt : std::optional(index(same));
}

/// The first sliding log of ours, else the first policy of ours.
std::optional<std::size_t> first_of_ours(const std::vector<GivenPolicy>& given) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto* const spec = std::get_if<PolicySpec>(&given[i]);
    if (spec == nullptr) continue;
    if (std::holds_alternative<SlidingLog>(spec->policy)) return i;
    if (!first) first = i;
  }
  return first;
}

}  // namespace

RunPolicies run_policies(const std::vector<std::string>& given, const std::string& file,
                         const std::string& reference) {
  const std::vector<GivenPolicy> all = given_policies(given, file);
  const std::optional<std::size_t> ours = first_of_ours(all);
  if (!ours) {
    throw Error(ErrorKind::kUsage, "a driver needs a policy of ours beside it",
                {"its program is told that policy, and compared with it",
                 "write -p sliding-log:100/1s as well"});
  }
  RunPolicies run{{}, *ours};
  const auto& told = std::get<PolicySpec>(all[*ours]).policy;
  for (const GivenPolicy& one : all) {
    if (const auto* const driver = std::get_if<DriverSpec>(&one)) {
      run.specs.push_back({driver->name, fmt::format("{}:{}", kDriverAlgorithm, driver->command),
                           told, driver->command});
    } else {
      run.specs.push_back(std::get<PolicySpec>(one));
    }
  }
  require_distinct_labels(run.specs);
  if (!reference.empty()) {
    const std::optional<std::size_t> found = find_policy(reference, run.specs);
    if (!found) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--reference {}: not one of this run's policies", reference),
                  {"give it with -p as well"});
    }
    run.reference = *found;
  }
  const PolicySpec& chosen = run.specs[run.reference];
  if (chosen.driver.empty()) {
    for (PolicySpec& spec : run.specs) {
      if (!spec.driver.empty()) spec.policy = chosen.policy;
    }
  }
  return run;
}

std::string default_policies() { return fmt::format("{}", fmt::join(kDefaultPolicies, ", ")); }

}  // namespace ratereplay
