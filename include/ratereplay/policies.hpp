// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "ratereplay/policies/fixed_window.hpp"
#include "ratereplay/policies/gcra.hpp"
#include "ratereplay/policies/leaky_bucket.hpp"
#include "ratereplay/policies/sliding_counter.hpp"
#include "ratereplay/policies/sliding_log.hpp"
#include "ratereplay/policies/token_bucket.hpp"
#include "ratereplay/policy.hpp"

namespace ratereplay {

/// The only list of policies: whatever goes over all of them derives from it.
using AnyPolicy =
    std::variant<FixedWindow, SlidingLog, SlidingCounter, Gcra, TokenBucket, LeakyBucket>;

namespace detail {

template <class List>
struct PolicyList;

template <Policy... P>
struct PolicyList<std::variant<P...>> {
  static constexpr std::array<std::string_view, sizeof...(P)> kNames{P::kName...};

  template <class F>
  static constexpr void for_each(F&& f) {
    (f.template operator()<P>(), ...);
  }
};

}  // namespace detail

/// The names of all policies, in the order of the list.
inline constexpr auto kPolicyNames = detail::PolicyList<AnyPolicy>::kNames;

/// Calls `f.template operator()<P>()` for every policy P, in the order of the list:
/// `for_each_policy([]<Policy P>() { ... });`
template <class F>
constexpr void for_each_policy(F&& f) {
  detail::PolicyList<AnyPolicy>::for_each(std::forward<F>(f));
}

/// The policy called `name`. std::invalid_argument when there is none, or when its constructor
/// refuses the parameters.
[[nodiscard]] inline AnyPolicy make_policy(std::string_view name, Limit limit,
                                           const Options& options = {}) {
  std::optional<AnyPolicy> made;
  for_each_policy([&]<Policy P>() {
    if (name == P::kName) made.emplace(std::in_place_type<P>, limit, options);
  });
  if (made) return *made;
  throw std::invalid_argument("there is no policy called '" + std::string(name) + "'");
}

/// The name of the algorithm.
[[nodiscard]] inline std::string_view policy_name(const AnyPolicy& policy) noexcept {
  return kPolicyNames[policy.index()];
}

}  // namespace ratereplay
