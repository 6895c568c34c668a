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

/// Attempts to leave requests out of one case.
constexpr int kMostAttempts = 4000;

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
                                       const Behaviour& behaviour,
                                       std::span<const Request> requests) {
  PolicyDecider ours(policy, unit);
  const Watch watch = behaviour.begin();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (watch(requests[i], ours.decide(requests[i]))) return i + 1;
  }
  return std::nullopt;
}

/// Leaves out runs of requests, long ones first, as long as the behaviour still shows.
void cut_down(const AnyPolicy& policy, Unit unit, const Behaviour& behaviour, TraceKey& key) {
  int attempts = 0;
  for (std::size_t run = key.requests.size() / 2; run > 0; run /= 2) {
    for (std::size_t at = 0; at + run <= key.requests.size() && attempts < kMostAttempts;) {
      ++attempts;
      TraceKey fewer = key;
      const auto from = static_cast<std::ptrdiff_t>(at);
      const auto to = static_cast<std::ptrdiff_t>(at + run);
      fewer.requests.erase(fewer.requests.begin() + from, fewer.requests.begin() + to);
      fewer.rows.erase(fewer.rows.begin() + from, fewer.rows.begin() + to);
      const auto shown = shown_after(policy, unit, behaviour, fewer.requests);
      if (shown) {
        fewer.requests.resize(*shown);
        fewer.rows.resize(*shown);
        key = std::move(fewer);
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
    std::span<const Request> requests = key.requests;
    if (best != nullptr) requests = requests.first(std::min(requests.size(), length - 1));
    if (const auto shown = shown_after(policy, unit, behaviour, requests)) {
      best = &key;
      length = *shown;
    }
  }
  if (best == nullptr) return std::nullopt;
  const auto count = static_cast<std::ptrdiff_t>(length);
  return TraceKey{{best->requests.begin(), best->requests.begin() + count},
                  {best->rows.begin(), best->rows.begin() + count}};
}

}  // namespace

std::vector<VectorCase> cases_from_trace(const PolicySpec& spec, Unit unit,
                                         const std::vector<TraceKey>& keys) {
  std::vector<Behaviour> behaviours = plain_behaviours(capacity_of(spec.policy));
  for (const Variant& rival : rivals_of(spec.policy, unit)) {
    behaviours.push_back(unlike(rival, unit));
  }
  std::vector<VectorCase> cases;
  for (const Behaviour& behaviour : behaviours) {
    std::optional<TraceKey> key = shortest(spec.policy, unit, behaviour, keys);
    if (!key) continue;
    cut_down(spec.policy, unit, behaviour, *key);
    VectorCase one{.name = behaviour.name,
                   .note = fmt::format("{}; rows {} to {} of the trace", behaviour.note,
                                       key->rows.front(), key->rows.back()),
                   .policy = spec};
    PolicyDecider ours(spec.policy, unit);
    for (std::size_t i = 0; i < key->requests.size(); ++i) {
      const Request& request = key->requests[i];
      const bool last = i + 1 == key->requests.size();
      one.steps.push_back({request, expectation(spec.policy, ours.decide(request),
                                                last ? Detail::kFull : Detail::kDecision)});
    }
    const auto same = std::find_if(cases.begin(), cases.end(), [&](const VectorCase& other) {
      return other.steps == one.steps;
    });
    if (same == cases.end()) {
      cases.push_back(std::move(one));
    } else {
      same->note += fmt::format("; shows as well: {}", one.name);
    }
  }
  return cases;
}

}  // namespace ratereplay
