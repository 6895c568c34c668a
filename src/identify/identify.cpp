// SPDX-License-Identifier: Apache-2.0
#include "identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>

#include "error.hpp"
#include "identify/probes.hpp"
#include "identify/variants.hpp"
#include "spec/duration_text.hpp"

namespace ratereplay {
namespace {

/// Puts requests to the limiter and keeps what it decides.
class Questioner {
 public:
  Questioner(Decider& limiter, Unit unit) : limiter_(limiter), unit_(unit) {
    evidence_.tick = Duration{unit.nanos};
  }

  bool ask(const Request& request) {
    const Answer answer = limiter_.decide(request);
    const auto [key, fresh] =
        keys_.try_emplace(request.key, static_cast<std::uint32_t>(keys_.size()));
    if (fresh) evidence_.keys.push_back(request.key);
    evidence_.events.push_back({unit_.instant(request.at).time_since_epoch().count(),
                                evidence_.admitted.size(), key->second, request.cost});
    evidence_.admitted.push_back(*answer.admitted);
    std::optional<Duration> delay;
    if (answer.delay && !answer.delay->never) {
      delay = unit_.instant(answer.delay->value).time_since_epoch();
    }
    evidence_.delay.push_back(delay);
    return *answer.admitted;
  }

  [[nodiscard]] std::size_t asked() const noexcept { return evidence_.admitted.size(); }
  Evidence finish() { return std::move(evidence_); }

 private:
  Decider& limiter_;
  Unit unit_;
  Evidence evidence_;
  std::unordered_map<std::string, std::uint32_t> keys_;
};

/// The most that a fresh key is granted at one instant.
class CapacitySearch {
 public:
  CapacitySearch(Questioner& questioner, std::int64_t limit, bool unit_costs)
      : questioner_(questioner), limit_(limit), unit_costs_(unit_costs) {}

  std::int64_t run() {
    if (unit_costs_) return count_up();
    std::int64_t least = 0;                           // admitted
    std::int64_t beyond = 0;                          // refused
    for (std::int64_t cost : {limit_, limit_ + 1}) {  // what it is nearly always
      if (cost > kMost) break;
      if (admits(cost)) {
        least = cost;
      } else {
        beyond = cost;
        break;
      }
    }
    while (beyond == 0 && least < kMost) {
      const std::int64_t cost = std::min(kMost, 2 * std::max<std::int64_t>(1, least));
      (admits(cost) ? least : beyond) = cost;
    }
    while (beyond != 0 && beyond - least > 1) {
      const std::int64_t cost = least + (beyond - least) / 2;
      (admits(cost) ? least : beyond) = cost;
    }
    return std::max<std::int64_t>(1, least);
  }

 private:
  static constexpr std::int64_t kMost = std::numeric_limits<Cost>::max();
  static constexpr std::size_t kMostUnitCosts = kMostProbes / 2;

  bool admits(std::int64_t cost) {
    return questioner_.ask({0, fmt::format("capacity-{}", cost), static_cast<Cost>(cost)});
  }

  std::int64_t count_up() {
    std::int64_t admitted = 0;
    while (questioner_.asked() < kMostUnitCosts && questioner_.ask({0, "capacity", 1})) ++admitted;
    return questioner_.asked() == kMostUnitCosts ? limit_ : std::max<std::int64_t>(1, admitted);
  }

  Questioner& questioner_;
  std::int64_t limit_;
  bool unit_costs_;
};

Identification matched(Evidence evidence, std::vector<PolicySpec> variants, unsigned threads) {
  Identification found{std::move(evidence), std::move(variants), {}};
  found.matches = match_variants(found.evidence, found.variants, threads);
  return found;
}

void require_fitting(const Limit& limit, Unit unit) {
  if (limit.count > std::numeric_limits<Cost>::max()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("a limit of {} is never reached by one request, which costs {} at most",
                            limit.count, std::numeric_limits<Cost>::max()),
                {"try the limiter with a smaller limit"});
  }
  if (limit.window.count() % unit.nanos != 0) {
    throw Error(ErrorKind::kUsage, fmt::format("a window of {} is no whole number of {}",
                                               duration_text(limit.window), unit.name));
  }
}

}  // namespace

std::size_t Identification::consistent() const noexcept {
  return static_cast<std::size_t>(std::count_if(matches.begin(), matches.end(),
                                                [](const Match& match) { return !match.first; }));
}

Identification identify(Decider& limiter, Unit unit, const Question& question) {
  const Limit& limit = question.limits.front();
  require_fitting(limit, unit);
  Questioner questioner(limiter, unit);
  const std::int64_t capacity =
      question.capacity ? *question.capacity
                        : CapacitySearch(questioner, limit.count, question.unit_costs).run();
  std::vector<PolicySpec> variants = variants_of(limit, std::array{capacity}, question.clocks);
  const ProbePlan plan{limit,
                       capacity,
                       unit,
                       question.unit_costs,
                       limit.window.count() / unit.nanos,
                       kMostProbes - questioner.asked()};
  for (const Request& probe : probes_for(variants, plan)) questioner.ask(probe);
  return matched(questioner.finish(), std::move(variants), question.threads);
}

Identification identify(Evidence evidence, const Question& question) {
  std::vector<PolicySpec> variants;
  for (const Limit& limit : question.limits) {
    const std::array capacities{question.capacity.value_or(limit.count)};
    std::vector<PolicySpec> more = variants_of(limit, capacities, question.clocks);
    std::move(more.begin(), more.end(), std::back_inserter(variants));
  }
  return matched(std::move(evidence), std::move(variants), question.threads);
}

}  // namespace ratereplay
