// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/policies.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// One sentence about a policy, under its topic.
struct Sentence {
  std::string_view topic;
  std::string text;
};

/// What a policy means, as plain data. Sizes and bounds that may pass 64 bits are decimal digits.
struct Explanation {
  std::string name;  ///< empty when none was given
  std::string canonical;
  std::int64_t capacity = 0;
  /// No more units are ever admitted for one key in any (t - W, t], W being the policy's window.
  std::string worst_window;
  std::int64_t bytes_per_key = 0;
  std::uint64_t keys = 0;
  std::string total_bytes;  ///< of that many keys
  std::vector<Sentence> sentences;
};

[[nodiscard]] Explanation explain(const PolicySpec& spec, std::uint64_t keys);

/// The bound of Explanation::worst_window.
[[nodiscard]] Wide worst_window_bound(const AnyPolicy& policy);

/// At most 100 columns.
[[nodiscard]] std::string explanation_text(const Explanation& explanation);
[[nodiscard]] std::string explanation_json(const Explanation& explanation, const AnyPolicy& policy);

/// One policy of the list.
struct PolicySummary {
  struct Choice {
    std::string_view option;
    std::string values;  ///< the default first
  };

  std::string_view name;
  std::vector<Choice> options;
  std::string bytes_per_key;  ///< "24", or "8 x limit"
  std::string_view state;     ///< what those bytes are
  std::string_view pick;      ///< when to choose it
};

[[nodiscard]] std::vector<PolicySummary> policy_summaries();

[[nodiscard]] std::string policy_list_text();
[[nodiscard]] std::string policy_list_json();

}  // namespace ratereplay
