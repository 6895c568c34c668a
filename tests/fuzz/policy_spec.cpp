// SPDX-License-Identifier: Apache-2.0
#include "spec/policy_spec.hpp"

#include <optional>
#include <string>

#include "error.hpp"
#include "fuzz/targets.hpp"
#include "report/explain.hpp"
#include "spec/option_text.hpp"
#include "text/utf8.hpp"

/// Input: the text of one policy.
namespace ratereplay::fuzz {
namespace {

std::optional<PolicySpec> parse(std::string_view text) {
  try {
    return parse_policy(text, "-p 1");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kUsage, "a policy is refused as usage");
    const auto& place = error.diagnostic().place;
    require(!place || place->offset + place->length <= place->text.size() + 1,
            "what is underlined is there");
    return std::nullopt;
  }
}

}  // namespace

void policy_spec(std::string_view bytes) {
  const auto spec = parse(bytes);
  if (!spec) return;
  const auto again = parse(spec->canonical);
  require(again && again->canonical == spec->canonical, "the canonical form parses to itself");
  require(again->name.empty(), "the canonical form has no name");
  require(policy_name(again->policy) == policy_name(spec->policy) &&
              limit_of(again->policy) == limit_of(spec->policy) &&
              options_of(again->policy) == options_of(spec->policy),
          "the canonical form is the same policy: " + spec->canonical);
  const Explanation explanation = explain(*spec, 1'000'000);
  require(is_utf8(explanation_text(explanation)), "an explanation is UTF-8");
  require(is_utf8(explanation_json(explanation, spec->policy)), "… and in JSON");
}

}  // namespace ratereplay::fuzz
