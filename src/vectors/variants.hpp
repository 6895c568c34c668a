// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ratereplay/policies.hpp"
#include "vectors/decider.hpp"
#include "vectors/unit.hpp"

namespace ratereplay {

/// A limiter that another could be taken for, and how it is another: "round=exact",
/// "interval rounded down to 333ms", "fixed-window".
struct Variant {
  AnyPolicy policy;
  std::string name;
};

/// The algorithm with this limit, capacity and clock in every combination of its other options,
/// those that decide alike too.
[[nodiscard]] std::vector<AnyPolicy> combinations(const AnyPolicy& policy);

/// What `policy` must be told apart from: its own combinations, a capacity one more and one less,
/// the interval of a rate rounded to whole units, a clock that sees every instant, and the other
/// algorithms with the same limit.
[[nodiscard]] std::vector<Variant> rivals_of(const AnyPolicy& policy, Unit unit);

/// The coarsest of ms, us and ns that window and clock are whole multiples of.
[[nodiscard]] Unit unit_for(const AnyPolicy& policy);

/// The first request on which the two decide differently, counted from 0; `requests.size()` when
/// there is none.
[[nodiscard]] std::size_t first_disagreement(const AnyPolicy& a, const AnyPolicy& b, Unit unit,
                                             std::span<const Request> requests);

/// A short sequence of requests of which the two decide the last one differently; when none was
/// found, one on whose last they tell different numbers; else empty. The same two give the same.
[[nodiscard]] std::vector<Request> tell_apart(const AnyPolicy& a, const AnyPolicy& b, Unit unit);

}  // namespace ratereplay
