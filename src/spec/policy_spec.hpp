// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ratereplay/policies.hpp"

namespace ratereplay {

/// One configuration as the user wrote it: `[name=]algorithm:limit/window{,option=value}`.
/// A name is 1 to 64 code points of UTF-8 without white space, controls, and , : = # \ and quotes.
struct PolicySpec {
  std::string name;       ///< empty when none was given
  std::string canonical;  ///< parses to itself
  AnyPolicy policy;
  /// The command of a program that decides in the policy's place (src/driver), which is told the
  /// policy; empty = none.
  std::string driver{};

  /// What outputs call it: the name, else the canonical form.
  [[nodiscard]] const std::string& label() const noexcept {
    return name.empty() ? canonical : name;
  }
};

/// A program behind a driver in the place of a policy: `[name=]driver:command`.
struct DriverSpec {
  std::string name;     ///< as of a policy
  std::string command;  ///< for the shell
};
inline constexpr std::string_view kDriverAlgorithm = "driver";

/// What `run` can be given.
using GivenPolicy = std::variant<PolicySpec, DriverSpec>;

/// Parses one policy. `origin` says where the text stands ("-p 1"). Error(kUsage) with the place
/// underlined: syntax, unknown algorithm or option (the nearest is suggested), `burst=`, and what
/// the policy's constructor refuses.
[[nodiscard]] PolicySpec parse_policy(std::string_view text, std::string_view origin);

/// The same, or a driver.
[[nodiscard]] GivenPolicy parse_given_policy(std::string_view text, std::string_view origin);

/// One policy or driver a line; blank lines are skipped, and `#` with what follows it.
/// Error(kUsage) when the file cannot be read or holds none.
[[nodiscard]] std::vector<GivenPolicy> read_policy_file(const std::string& path);

/// Error(kUsage) unless every label is distinct.
void require_distinct_labels(std::span<const PolicySpec> specs);

/// The canonical form without a name: limit in digits, window in the largest unit that divides it,
/// the options that differ from their default, and always a bucket's capacity.
[[nodiscard]] std::string canonical_text(const AnyPolicy& policy);

}  // namespace ratereplay
