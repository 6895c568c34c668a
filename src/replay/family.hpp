// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ratereplay/time.hpp"
#include "replay/lane.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// Lanes that differ in nothing but their limit. What is calm (see concept CalmPolicy) under one
/// limit is so under every greater one: such a key is replayed once for all of them.
struct LaneFamily {
  struct Member {
    std::size_t lane;     ///< index among the policies
    std::uint64_t limit;  ///< units
  };
  std::optional<Duration> calm_window;  ///< absent for a policy that is never calm
  std::vector<Member> members;          ///< by limit
  std::vector<std::uint64_t> limits;    ///< of the members
};

/// Every policy in one family.
[[nodiscard]] std::vector<LaneFamily> families_of(std::span<const PolicySpec> policies);

/// The first of the family's members under which the key is calm; members.size() if none is.
[[nodiscard]] std::size_t first_calm(const LaneFamily& family, const KeyRows& rows);

}  // namespace ratereplay
