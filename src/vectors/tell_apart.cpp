// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>

#include "generate/random.hpp"
#include "spec/option_text.hpp"
#include "vectors/policy_decider.hpp"
#include "vectors/variants.hpp"

namespace ratereplay {
namespace {

constexpr int kTries = 300;
constexpr std::size_t kMostPrefix = 7;
constexpr std::string_view kKey = "a";

enum class What : std::uint8_t { kDecisions, kNumbers };

bool differ(const Answer& a, const Answer& b, What what) {
  return what == What::kDecisions ? a.admitted != b.admitted : a != b;
}

std::size_t first_difference(const AnyPolicy& a, const AnyPolicy& b, Unit unit,
                             std::span<const Request> requests, What what) {
  PolicyDecider ours(a, unit);
  PolicyDecider theirs(b, unit);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (differ(ours.decide(requests[i]), theirs.decide(requests[i]), what)) return i;
  }
  return requests.size();
}

/// Asks both policies requests drawn at random from those that matter (edges of windows and
/// intervals, a full and a nearly full key), and at each point the instant at which one would
/// admit again before the other.
class Search {
 public:
  Search(const AnyPolicy& a, const AnyPolicy& b, Unit unit, What what)
      : a_(a), b_(b), unit_(unit), what_(what) {
    const Limit& limit = limit_of(a);
    const std::int64_t window = std::max<std::int64_t>(1, limit.window.count() / unit.nanos);
    const std::int64_t interval = std::max<std::int64_t>(1, window / limit.count);
    capacity_ = std::min(capacity_of(a), kInt64Max - 1);
    starts_ = {0, window / 3, window - 1};
    gaps_ = {0, 0, 0, 1, interval, window / 4, window / 2, window - 1, window};
  }

  std::vector<Request> shortest() {
    for (int i = 0; i < kTries && (best_.empty() || best_.size() > 2); ++i) attempt();
    return std::move(best_);
  }

 private:
  void attempt() {
    PolicyDecider ours(a_, unit_);
    PolicyDecider theirs(b_, unit_);
    std::vector<Request> asked;
    std::int64_t at = starts_[random_.below(starts_.size())];
    const std::size_t length = 1 + random_.below(kMostPrefix);
    for (std::size_t i = 0; i < length; ++i) {
      const Wide later = Wide{at} + (i == 0 ? 0 : gaps_[random_.below(gaps_.size())]);
      if (!fits_int64(later) || !unit_.holds(static_cast<std::int64_t>(later))) return;
      at = static_cast<std::int64_t>(later);
      const Request request{at, std::string(kKey),
                            draw_cost(ours.peek({at, std::string(kKey), 0}))};
      asked.push_back(request);
      if (differ(ours.decide(request), theirs.decide(request), what_)) return keep(asked);
      if (probe_edge(ours, theirs, asked)) return;
    }
  }

  /// Costs around what there is room for.
  Cost draw_cost(const Answer& now) {
    const std::int64_t remaining = now.remaining->value;
    const std::array<std::int64_t, 6> costs{1,
                                            capacity_,
                                            capacity_ / 2,
                                            remaining,
                                            saturating_add(remaining, std::int64_t{1}),
                                            capacity_ - 1};
    return clamp(costs[random_.below(costs.size())]);
  }

  static Cost clamp(std::int64_t cost) {
    return static_cast<Cost>(std::clamp<std::int64_t>(cost, 1, std::numeric_limits<Cost>::max()));
  }

  bool probe_edge(PolicyDecider& ours, PolicyDecider& theirs, std::vector<Request> asked) {
    const std::int64_t at = asked.back().at;
    for (const Cost cost : {Cost{1}, clamp(capacity_ / 2), clamp(capacity_)}) {
      const Request now{at, std::string(kKey), cost};
      const auto our_due = ours.due(now);
      const auto their_due = theirs.due(now);
      if (!our_due || !their_due || our_due == their_due) continue;
      asked.push_back({std::min(*our_due, *their_due), std::string(kKey), cost});
      keep(asked);
      return true;
    }
    return false;
  }

  /// Leaves out what is not needed, and remembers the rest when it is the shortest so far.
  void keep(std::vector<Request> asked) {
    for (std::size_t i = asked.size(); i-- > 0;) {
      std::vector<Request> fewer = asked;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const std::size_t found = first_difference(a_, b_, unit_, fewer, what_);
      if (found == fewer.size()) continue;
      fewer.resize(found + 1);
      asked = std::move(fewer);
      i = std::min(i, asked.size());
    }
    const std::size_t found = first_difference(a_, b_, unit_, asked, what_);
    if (found == asked.size()) return;
    asked.resize(found + 1);
    if (best_.empty() || asked.size() < best_.size()) best_ = std::move(asked);
  }

  const AnyPolicy& a_;
  const AnyPolicy& b_;
  Unit unit_;
  What what_;
  std::int64_t capacity_ = 1;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> gaps_;
  Random random_{1};
  std::vector<Request> best_;
};

}  // namespace

std::size_t first_disagreement(const AnyPolicy& a, const AnyPolicy& b, Unit unit,
                               std::span<const Request> requests) {
  return first_difference(a, b, unit, requests, What::kDecisions);
}

std::vector<Request> tell_apart(const AnyPolicy& a, const AnyPolicy& b, Unit unit) {
  std::vector<Request> requests = Search(a, b, unit, What::kDecisions).shortest();
  if (!requests.empty()) return requests;
  return Search(a, b, unit, What::kNumbers).shortest();
}

}  // namespace ratereplay
