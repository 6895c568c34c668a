// SPDX-License-Identifier: Apache-2.0
#include "vectors/from_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "interrupt.hpp"
#include "spec/option_text.hpp"
#include "vectors/policy_decider.hpp"
#include "vectors/script.hpp"
#include "vectors/variants.hpp"

namespace ratereplay {
namespace {

/// Decisions spent on leaving requests out of one case.
constexpr std::size_t kMostAsked = 10'000'000;

/// Looks at the requests of one key and their answers, one by one; says whether this one shows what
/// it looks for.
using Watch = std::function<bool(const Request& request, const Answer& answer)>;

struct Behaviour {
  std::string name;
  std::string note;
  std::function<Watch()> begin;
};

/// A behaviour that a request and its answer show without the requests before them.
Behaviour plain(std::string name, std::string note, bool (*shows)(const Request&, const Answer&)) {
  return {std::move(name), std::move(note), [shows] { return Watch(shows); }};
}

std::vector<Behaviour> plain_behaviours(std::int64_t capacity) {
  std::vector<Behaviour> all;
  all.push_back(plain("refuses", "the earliest refusal",
                      [](const Request&, const Answer& a) { return !*a.admitted; }));
  all.push_back({"admits again", "an admission after a refusal", [] {
                   return Watch([refused = false](const Request& r, const Answer& a) mutable {
                     refused = refused || !*a.admitted;
                     return refused && *a.admitted && r.cost > 0;
                   });
                 }});
  all.push_back(plain("takes the last unit", "an admission that leaves nothing",
                      [](const Request& r, const Answer& a) {
                        return *a.admitted && r.cost > 0 && a.remaining->value == 0;
                      }));
  all.push_back(plain("refuses a cost that is too large now", "less would have been admitted",
                      [](const Request&, const Answer& a) {
                        return !*a.admitted && a.retry_after != kNever && a.remaining->value > 0;
                      }));
  all.push_back(plain("refuses for ever", "a cost above the capacity",
                      [](const Request&, const Answer& a) { return a.retry_after == kNever; }));
  all.push_back(plain(
      "admits a probe while it is empty", "cost 0 is admitted over the limit too",
      [](const Request& r, const Answer& a) { return r.cost == 0 && a.remaining->value == 0; }));
  all.push_back({"fills up again", "a key that was used up is full again", [capacity] {
                   return Watch(
                       [capacity, used = false](const Request& r, const Answer& a) mutable {
                         const std::int64_t spent = *a.admitted ? std::int64_t{r.cost} : 0;
                         const bool again = used && a.remaining->value == capacity - spent;
                         used = used || a.remaining->value == 0;
                         return again;
                       });
                 }});
  return all;
}

/// One that a rival shows by deciding otherwise.
Behaviour unlike(const Variant& rival, Unit unit) {
  return {fmt::format("not {}", rival.name), fmt::format("{} decides otherwise", rival.name),
          [policy = rival.policy, unit] {
            auto theirs = std::make_shared<PolicyDecider>(policy, unit);
            return Watch([theirs](const Request& request, const Answer& answer) {
              return theirs->decide(request).admitted != answer.admitted;
            });
          }};
}

/// How many of the requests it takes until the behaviour shows; nullopt when they do not show it.
std::optional<std::size_t> shown_after(const AnyPolicy& policy, Unit unit,
                                       const Behaviour& behaviour, const std::string& key,
                                       std::span<const TraceKey::Event> events) {
  PolicyDecider ours(policy, unit);
  const Watch watch = behaviour.begin();
  Request request{0, key, 0};
  for (std::size_t i = 0; i < events.size(); ++i) {
    request.at = events[i].at;
    request.cost = events[i].cost;
    if (watch(request, ours.decide(request))) return i + 1;
  }
  return std::nullopt;
}

/// Leaves out runs of requests, long ones first, as long as the behaviour still shows.
void cut_down(const AnyPolicy& policy, Unit unit, const Behaviour& behaviour, TraceKey& key) {
  std::size_t asked = 0;
  for (std::size_t run = key.events.size() / 2; run > 0; run /= 2) {
    for (std::size_t at = 0; at + run <= key.events.size() && asked < kMostAsked;) {
      stop_if_interrupted();
      std::vector<TraceKey::Event> fewer = key.events;
      const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(from, from + static_cast<std::ptrdiff_t>(run));
      asked += fewer.size();
      if (const auto shown = shown_after(policy, unit, behaviour, key.key, fewer)) {
        fewer.resize(*shown);
        key.events = std::move(fewer);
      } else {
        at += run;
      }
    }
  }
}

/// The key that shows the behaviour with the fewest requests, up to where it shows.
std::optional<TraceKey> shortest(const AnyPolicy& policy, Unit unit, const Behaviour& behaviour,
                                 const std::vector<TraceKey>& keys) {
  const TraceKey* best = nullptr;
  std::size_t length = 0;
  for (const TraceKey& key : keys) {
    stop_if_interrupted();
    std::span<const TraceKey::Event> events = key.events;
    if (best != nullptr) events = events.first(std::min(events.size(), length - 1));
    if (const auto shown = shown_after(policy, unit, behaviour, key.key, events)) {
      best = &key;
      length = *shown;
    }
  }
  if (best == nullptr) return std::nullopt;
  const auto begin = best->events.begin();
  return TraceKey{best->key, {begin, begin + static_cast<std::ptrdiff_t>(length)}};
}

/// The requests as a case; all numbers are expected of the last one alone.
std::vector<VectorStep> steps_of(const AnyPolicy& policy, Unit unit, const TraceKey& key) {
  PolicyDecider ours(policy, unit);
  std::vector<VectorStep> steps;
  for (const TraceKey::Event& event : key.events) {
    const Request request{event.at, key.key, event.cost};
    const bool last = &event == &key.events.back();
    steps.push_back({request, expectation(policy, ours.decide(request),
                                          last ? Detail::kFull : Detail::kDecision)});
  }
  return steps;
}

}  // namespace

std::vector<VectorCase> cases_from_trace(const PolicySpec& spec, Unit unit,
                                         const std::vector<TraceKey>& keys) {
  std::vector<Behaviour> behaviours = plain_behaviours(capacity_of(spec.policy));
  for (const Variant& rival : rivals_of(spec.policy, unit)) {
    behaviours.push_back(unlike(rival, unit));
  }
  std::vector<VectorCase> cases;
  std::vector<std::string> others;  // what else each case shows
  for (const Behaviour& behaviour : behaviours) {
    std::optional<TraceKey> key = shortest(spec.policy, unit, behaviour, keys);
    if (!key) continue;
    cut_down(spec.policy, unit, behaviour, *key);
    VectorCase one{.name = behaviour.name,
                   .note = fmt::format("{}; rows {} to {} of the trace", behaviour.note,
                                       key->events.front().row, key->events.back().row),
                   .policy = spec,
                   .steps = steps_of(spec.policy, unit, *key)};
    const auto same = std::find_if(cases.begin(), cases.end(), [&](const VectorCase& other) {
      return other.steps == one.steps;
    });
    if (same == cases.end()) {
      cases.push_back(std::move(one));
      others.emplace_back();
    } else {
      std::string& names = others[static_cast<std::size_t>(same - cases.begin())];
      names += fmt::format("{}{}", names.empty() ? "; also: " : ", ", one.name);
    }
  }
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].note += others[i];
  return cases;
}

}  // namespace ratereplay
