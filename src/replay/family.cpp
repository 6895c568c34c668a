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
      families.push_back({window, {member}});
    } else {
      family->members.push_back(member);
    }
  }
  for (LaneFamily& family : families) {
    std::ranges::stable_sort(family.members, {}, &LaneFamily::Member::limit);
  }
  return families;
}

CalmCheck::CalmCheck(std::span<const LaneFamily> families) {
  for (const LaneFamily& family : families) {
    if (!family.calm_window) continue;
    if (std::ranges::find(peaks_, *family.calm_window, &Peak::window) == peaks_.end()) {
      peaks_.push_back({*family.calm_window, false, 0});
    }
  }
}

void CalmCheck::start(const KeyRows& rows) {
  rows_ = rows;
  units_ = rows.cost.empty()
               ? rows.at.size()
               : std::accumulate(rows.cost.begin(), rows.cost.end(), std::uint64_t{0});
  for (Peak& peak : peaks_) peak.known = false;
}

std::size_t CalmCheck::first_calm(const LaneFamily& family) {
  if (!family.calm_window) return family.members.size();
  if (units_ <= family.members.front().limit) return 0;
  if (family.members.size() == 1) {
    const std::uint64_t limit = family.members.front().limit;
    return holds_more(rows_.at, rows_.cost, *family.calm_window, limit) ? 1 : 0;
  }
  Peak& peak = *std::ranges::find(peaks_, *family.calm_window, &Peak::window);
  if (!peak.known) {
    peak.known = true;
    peak.units = window_peak(rows_.at, rows_.cost, peak.window, 0).units;
  }
  const auto first =
      std::ranges::lower_bound(family.members, peak.units, {}, &LaneFamily::Member::limit);
  return static_cast<std::size_t>(first - family.members.begin());
}

}  // namespace ratereplay
