// SPDX-License-Identifier: Apache-2.0
#include "replay/family.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

#include "measure/worst_window.hpp"
#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

std::optional<Duration> calm_window(const AnyPolicy& policy) {
  return std::visit(
      []<class P>(const P& made) -> std::optional<Duration> {
        if constexpr (CalmPolicy<P>) {
          if (made.calm_window() < Duration::max()) return made.calm_window();
        }
        return std::nullopt;
      },
      policy);
}

/// Whether the two differ in their limits at most.
bool alike(const AnyPolicy& a, const AnyPolicy& b) {
  return a.index() == b.index() && limit_of(a).window == limit_of(b).window &&
         options_of(a) == options_of(b);
}

}  // namespace

std::vector<LaneFamily> families_of(std::span<const PolicySpec> policies) {
  std::vector<LaneFamily> families;
  for (std::size_t lane = 0; lane < policies.size(); ++lane) {
    const AnyPolicy& policy = policies[lane].policy;
    const LaneFamily::Member member{lane, static_cast<std::uint64_t>(limit_of(policy).count)};
    const std::optional<Duration> window = calm_window(policy);
    const auto family = std::ranges::find_if(families, [&](const LaneFamily& other) {
      return window && other.calm_window &&
             alike(policy, policies[other.members.front().lane].policy);
    });
    if (family == families.end()) {
      families.push_back({window, {member}, {}});
    } else {
      family->members.push_back(member);
    }
  }
  for (LaneFamily& family : families) {
    std::ranges::stable_sort(family.members, {}, &LaneFamily::Member::limit);
    for (const LaneFamily::Member& member : family.members) family.limits.push_back(member.limit);
  }
  return families;
}

std::size_t first_calm(const LaneFamily& family, const KeyRows& rows) {
  if (!family.calm_window) return family.members.size();
  const std::uint64_t units =
      rows.cost.empty() ? rows.at.size()
                        : std::accumulate(rows.cost.begin(), rows.cost.end(), std::uint64_t{0});
  if (units <= family.limits.front()) return 0;
  return first_to_hold(family.limits, rows.at, rows.cost, *family.calm_window);
}

}  // namespace ratereplay
