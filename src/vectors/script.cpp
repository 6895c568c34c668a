// SPDX-License-Identifier: Apache-2.0
#include "vectors/script.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

/// A capacity up to this is filled unit by unit.
constexpr std::int64_t kFewUnits = 12;
constexpr std::int64_t kGreatestCost = std::numeric_limits<Cost>::max();
/// A capacity that takes more requests than this is not filled at all.
constexpr std::int64_t kMostChunks = 8;

bool queues(const AnyPolicy& policy) {
  const auto* leaky = std::get_if<LeakyBucket>(&policy);
  return leaky != nullptr && leaky->options().mode == Mode::kQueue;
}

}  // namespace

Answer expectation(const AnyPolicy& policy, const Answer& answer, Detail detail) {
  if (detail == Detail::kDecision) return Answer{.admitted = answer.admitted};
  Answer expected = answer;
  if (*answer.admitted) expected.retry_after.reset();
  if (!*answer.admitted || !queues(policy)) expected.delay.reset();
  return expected;
}

Script::Script(const PolicySpec& spec, Unit unit, std::string name, std::string note)
    : unit_(unit),
      window_(limit_of(spec.policy).window.count() / unit.nanos),
      limit_(limit_of(spec.policy).count),
      capacity_(std::min(capacity_of(spec.policy), kInt64Max - 1)),
      decider_(spec.policy, unit),
      case_{std::move(name), std::move(note), spec, {}} {}

void Script::ask(Wide at, std::int64_t cost, Detail detail) { ask(at, cost, kScriptKey, detail); }

void Script::ask(Wide at, std::int64_t cost, std::string_view key, Detail detail) {
  ended_ = ended_ || !fits_int64(at) || !unit_.holds(static_cast<std::int64_t>(at)) ||
           cost > kGreatestCost;
  if (ended_) return;
  latest_ = static_cast<std::int64_t>(at);
  Request request{latest_, std::string(key), static_cast<Cost>(cost)};
  const Answer answer = decider_.decide(request);
  case_.steps.push_back({std::move(request), expectation(case_.policy.policy, answer, detail)});
}

void Script::fill(Wide at, std::string_view key) {
  if (capacity_ <= kFewUnits) {
    for (std::int64_t i = 1; i < capacity_; ++i) ask(at, 1, key, Detail::kDecision);
  } else {
    for (int i = 0; i < 3; ++i) ask(at, 1, key, Detail::kDecision);
    std::int64_t rest = capacity_ - 4;
    ended_ = ended_ || rest / kGreatestCost >= kMostChunks;
    while (rest > 0 && !ended_) {
      const std::int64_t chunk = std::min(rest, kGreatestCost);
      ask(at, chunk, key, Detail::kDecision);
      rest -= chunk;
    }
  }
  ask(at, 1, key);
}

void Script::ask_until_refused(Wide at) {
  ask(at);
  while (!ended_ && *case_.steps.back().expect.admitted) {
    const std::int64_t rest = case_.steps.back().expect.remaining->value;
    ask(at, rest <= kFewUnits ? 1 : rest);
  }
}

std::optional<Wide> Script::due(std::int64_t cost) const {
  if (ended_ || cost > kGreatestCost) return std::nullopt;
  const auto due = decider_.due({latest_, std::string(kScriptKey), static_cast<Cost>(cost)});
  return due ? std::optional<Wide>(*due) : std::nullopt;
}

void Script::ask_around_due(std::int64_t cost, bool early) {
  auto when = due(cost);
  if (early && when && *when - 1 > latest_) {
    ask(*when - 1, cost);
    when = due(cost);
  }
  if (when) {
    ask(*when, cost);
  } else {
    ended_ = true;
  }
}

}  // namespace ratereplay
