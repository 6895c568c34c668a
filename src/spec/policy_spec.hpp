// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/policies.hpp"

namespace ratereplay {

/// One configuration as the user wrote it: `[name=]algorithm:limit/window{,option=value}`.
struct PolicySpec {
  std::string name;       ///< empty when none was given
  std::string canonical;  ///< parses to itself
  AnyPolicy policy;

  /// What outputs call it: the name, else the canonical form.
  [[nodiscard]] const std::string& label() const noexcept {
    return name.empty() ? canonical : name;
  }
};

/// Parses one policy. `origin` says where the text stands ("-p 1", "limits.txt:3"). Error(kUsage)
/// with the place underlined: syntax, unknown algorithm or option (the nearest is suggested),
/// `burst=`, and what the policy's constructor refuses.
[[nodiscard]] PolicySpec parse_policy(std::string_view text, std::string_view origin);

/// One policy a line; blank lines and `#` comments are skipped. Error(kUsage) when the file cannot
/// be read or holds none.
[[nodiscard]] std::vector<PolicySpec> read_policy_file(const std::string& path);

/// Error(kUsage) unless every label is distinct.
void require_distinct_labels(std::span<const PolicySpec> specs);

/// The canonical form without a name.
[[nodiscard]] std::string canonical_text(const AnyPolicy& policy);

}  // namespace ratereplay
