// SPDX-License-Identifier: Apache-2.0
#include "identify/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "error.hpp"
#include "ratereplay/arithmetic.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kMostSteps = 8;
constexpr std::size_t kCases = 2000;
constexpr unsigned kSeed = 5;
constexpr std::int64_t kMostWindows = 3;     ///< that a case lasts
constexpr std::int64_t kWindowsPerCase = 6;  ///< from case to case

struct Step {
  std::int64_t at;  ///< units from the start of the case
  Cost cost;
};
using Case = std::vector<Step>;

/// Invents cases out of the instants and costs at which variants differ.
class Inventor {
 public:
  explicit Inventor(const ProbePlan& plan)
      : window_(plan.limit.window.count() / plan.unit.nanos), unit_costs_(plan.unit_costs) {
    const std::int64_t limit = plan.limit.count;
    const std::int64_t each = std::max<std::int64_t>(1, window_ / limit);
    for (const std::int64_t at :
         {std::int64_t{0}, each / 2, each, window_ / 3, window_ / 2, window_ / 3 * 2,
          window_ - each, window_, window_ + each, window_ / 3 * 4, window_ / 2 * 3,
          2 * window_ - each, 2 * window_, 2 * window_ + each, window_ / 2 * 5, 3 * window_}) {
      for (const int nudge : {-1, 0, 1}) instants_.push_back(std::max<std::int64_t>(0, at + nudge));
    }
    for (const std::int64_t units : {limit, plan.capacity}) {
      for (const std::int64_t cost :
           {std::int64_t{1}, std::int64_t{2}, (units + 1) / 2, units - 1, units, units + 1}) {
        costs_.push_back(static_cast<Cost>(std::clamp<std::int64_t>(cost, 1, kMostCost)));
      }
    }
  }

  Case next() {
    std::vector<std::int64_t> at;
    for (std::size_t i = 2 + below(3); i > 0; --i) {
      at.push_back(below(4) == 0
                       ? static_cast<std::int64_t>(
                             random_() % static_cast<std::uint64_t>(kMostWindows * window_ + 1))
                       : instants_[below(instants_.size())]);
    }
    std::sort(at.begin(), at.end());
    Case made;
    for (const std::int64_t instant : at) {
      for (std::size_t steps = 1 + below(2); steps > 0; --steps) {
        const Cost cost = costs_[below(costs_.size())];
        if (unit_costs_) {
          made.insert(made.end(), std::min<std::size_t>(cost, kMostSteps), {instant, 1});
        } else {
          made.push_back({instant, cost});
        }
      }
    }
    return made;
  }

 private:
  static constexpr std::int64_t kMostCost = 0xFFFF'FFFF;

  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::int64_t window_;
  bool unit_costs_;
  std::vector<std::int64_t> instants_;
  std::vector<Cost> costs_;
  std::mt19937_64 random_{kSeed};
};

/// A case and what each variant answers to it, as a number: equal answers, equal numbers.
struct Candidate {
  Case steps;
  std::vector<std::size_t> answer;
  bool used = false;
};

std::vector<std::size_t> answers_of(std::span<const PolicySpec> variants, const Case& steps,
                                    Unit unit) {
  std::map<std::vector<std::int64_t>, std::size_t> known;
  std::vector<std::size_t> answers;
  for (const PolicySpec& variant : variants) {
    std::vector<std::int64_t> told;
    std::visit(
        [&]<class P>(const P& policy) {
          Tracked<P> key;
          for (const Step& step : steps) {
            const Decision decision =
                admit(policy, key, unit.instant(step.at), step.cost, Duration{unit.nanos});
            told.push_back(decision.admitted() ? unit.ceil(decision.delay.count()) : -1);
          }
        },
        variant.policy);
    answers.push_back(known.emplace(std::move(told), known.size()).first->second);
  }
  return answers;
}

/// Which variants the cases chosen so far leave together. Groups and answers are numbers below the
/// number of variants.
class Groups {
 public:
  explicit Groups(std::size_t variants)
      : group_(variants, 0), whole_(variants), parts_(variants * variants) {}

  /// Pairs that the case would separate.
  [[nodiscard]] std::size_t separated(const Candidate& candidate) {
    std::fill(whole_.begin(), whole_.end(), 0);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      // Pairs with those counted before: all of the group, less those that answer alike.
      pairs += whole_[group_[i]]++ - parts_[part_of(candidate, i)]++;
    }
    for (std::size_t i = 0; i < group_.size(); ++i) parts_[part_of(candidate, i)] = 0;
    return pairs;
  }

  void separate(const Candidate& candidate) {
    std::map<std::size_t, std::size_t> numbers;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      group_[i] = numbers.emplace(part_of(candidate, i), numbers.size()).first->second;
    }
  }

 private:
  [[nodiscard]] std::size_t part_of(const Candidate& candidate, std::size_t i) const {
    return group_[i] * group_.size() + candidate.answer[i];
  }

  std::vector<std::size_t> group_;
  std::vector<std::size_t> whole_;  ///< scratch
  std::vector<std::size_t> parts_;  ///< scratch, zeros between calls
};

/// The best of the unused cases that are short enough; nullptr when none separates anything.
Candidate* best_of(std::vector<Candidate>& candidates, Groups& groups, std::size_t room) {
  Candidate* best = nullptr;
  std::size_t most = 0;
  for (Candidate& candidate : candidates) {
    if (candidate.used || candidate.steps.size() > room) continue;
    const std::size_t pairs = groups.separated(candidate);
    // pairs / steps against most / steps of the best.
    if (pairs == 0 ||
        (best != nullptr && pairs * best->steps.size() <= most * candidate.steps.size())) {
      continue;
    }
    best = &candidate;
    most = pairs;
  }
  return best;
}

/// From case to case: longer than any of them lasts, and a whole number of every grid, unless those
/// have none in common.
std::int64_t stride_of(std::span<const PolicySpec> variants, const ProbePlan& plan) {
  constexpr std::int64_t kMostInGrid = 1000;
  const std::int64_t window = plan.limit.window.count();
  std::int64_t grid = window;
  for (const PolicySpec& variant : variants) {
    const auto& clock = options_of(variant.policy).clock;
    if (!clock) continue;
    const Wide common = Wide{grid} / std::gcd(grid, clock->count()) * clock->count();
    if (common <= Wide{window} * kMostInGrid) grid = static_cast<std::int64_t>(common);
  }
  const Wide stride = ceil_div(Wide{window} * kWindowsPerCase, grid) * grid;
  // No case has less than two requests.
  const Wide cases = Wide{plan.most / 2} + 2;
  if (Wide{plan.start} * plan.unit.nanos + cases * stride >
      std::numeric_limits<std::int64_t>::max()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("a window of {} is too long to be tried out", duration_text(plan.limit.window)),
        {"try the limiter with a shorter window"});
  }
  return static_cast<std::int64_t>(stride / plan.unit.nanos);
}

}  // namespace

std::vector<Request> probes_for(std::span<const PolicySpec> variants, const ProbePlan& plan) {
  std::vector<Candidate> candidates(kCases);
  Inventor inventor(plan);
  for (Candidate& candidate : candidates) {
    candidate.steps = inventor.next();
    candidate.answer = answers_of(variants, candidate.steps, plan.unit);
  }
  const std::int64_t stride = stride_of(variants, plan);
  std::int64_t start = (plan.start / stride + 1) * stride;
  std::vector<Request> probes;
  std::size_t cases = 0;
  for (bool any = true; any;) {
    any = false;
    Groups groups(variants.size());
    while (Candidate* const best = best_of(candidates, groups, plan.most - probes.size())) {
      any = best->used = true;
      groups.separate(*best);
      const std::string key = fmt::format("case-{}", ++cases);
      for (const Step& step : best->steps) probes.push_back({start + step.at, key, step.cost});
      start += stride;
    }
  }
  return probes;
}

}  // namespace ratereplay
