// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ratereplay/policies.hpp"
#include "vectors/unit.hpp"

namespace ratereplay {

/// What a policy holds of a key, for people, times in the unit with its fractions:
/// "window to 1000, count 5". "fresh" for a key of which nothing is held.
[[nodiscard]] std::string state_text(const FixedWindow& policy, const FixedWindow::State& state,
                                     Unit unit);
[[nodiscard]] std::string state_text(const SlidingLog& policy, const SlidingLog::State& state,
                                     Unit unit);
[[nodiscard]] std::string state_text(const SlidingCounter& policy,
                                     const SlidingCounter::State& state, Unit unit);
[[nodiscard]] std::string state_text(const Gcra& policy, const Gcra::State& state, Unit unit);
[[nodiscard]] std::string state_text(const TokenBucket& policy, const TokenBucket::State& state,
                                     Unit unit);
[[nodiscard]] std::string state_text(const LeakyBucket& policy, const LeakyBucket::State& state,
                                     Unit unit);

}  // namespace ratereplay
