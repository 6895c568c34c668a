// SPDX-License-Identifier: Apache-2.0
#include "replay/lane.hpp"

#include <variant>

namespace ratereplay {
namespace {

template <Policy P>
class LaneOf final : public Lane {
 public:
  LaneOf(const P& policy, Duration tick, const Buckets& buckets, std::size_t top)
      : policy_(policy),
        tick_(tick),
        buckets_(&buckets),
        charges_refused_(policy.options().charge == Charge::kAttempted),
        queues_(queues(policy)),
        tally_(tick, policy.limit().window, buckets, top, queues_) {}

  void replay(const KeyRows& rows, Verdicts& verdicts) override {
    if (rows.cost.empty()) {
      replay_rows(rows, verdicts, [](std::size_t) { return Cost{1}; });
    } else {
      replay_rows(rows, verdicts, [&](std::size_t i) { return rows.cost[i]; });
    }
  }

  Tally& tally() override { return tally_; }

 private:
  static bool queues(const P& policy) {
    if constexpr (QueueingPolicy<P>) return policy.options().mode == Mode::kQueue;
    return false;
  }

  template <class CostOf>
  void replay_rows(const KeyRows& rows, Verdicts& verdicts, const CostOf& cost_of) {
    const std::size_t size = rows.at.size();
    verdicts.outcome.resize(size);
    state_.reset();
    std::uint64_t refused = 0;
    std::size_t first_refused = 0;
    std::size_t bucket = rows.bucket[0];
    tally_.live_units.cross(bucket);
    for (std::size_t i = 0; i < size; ++i) {
      const Instant now{Duration{rows.at[i]}};
      const Cost cost = cost_of(i);
      if (rows.bucket[i] != bucket) {
        bucket = rows.bucket[i];
        cross(bucket);
      }
      Duration delay{0};
      if constexpr (QueueingPolicy<P>) {
        if (queues_ && cost > 0) delay = policy_.delay(state_, now);
      }
      const Outcome outcome = policy_.commit(state_, now, cost);
      verdicts.outcome[i] = outcome;
      if (outcome == Outcome::kAdmitted) [[likely]] {
        if constexpr (QueueingPolicy<P>) note_queue(now, delay);
      } else {
        if (refused++ == 0) first_refused = i;
        refuse(outcome, now, cost, bucket);
      }
      if (cost > 0 && (outcome == Outcome::kAdmitted || charges_refused_)) {
        charge(now, cost, bucket);
      }
    }
    cross(buckets_->count());

    verdicts.refused = refused;
    tally_.refused += refused;
    tally_.admitted += size - refused;
    if (refused > 0) {
      ++tally_.keys_refused;
      tally_.top.offer({rows.key, size, refused, rows.at[first_refused]});
    }
    audit(rows, verdicts);
  }

  void cross(std::size_t bucket) {
    tally_.live_keys.cross(bucket, policy_.expires_at(state_));
    if constexpr (std::same_as<P, SlidingLog>) tally_.live_units.cross(bucket);
  }

  void charge(Instant now, Cost cost, std::size_t bucket) {
    tally_.live_keys.charge(bucket);
    if constexpr (std::same_as<P, SlidingLog>) {
      // The newest entry is the last to leave.
      tally_.live_units.charge(now, policy_.expires_at(state_), cost);
    }
  }

  void refuse(Outcome outcome, Instant now, Cost cost, std::size_t bucket) {
    ++tally_.refused_in[bucket];
    if (outcome == Outcome::kNever) {
      ++tally_.never;
    } else {
      tally_.retry_after.add(wait_until(now, policy_.due(state_, now, cost), tick_));
    }
  }

  void note_queue(Instant now, Duration delay) {
    if constexpr (QueueingPolicy<P>) {
      if (!queues_) return;
      tally_.delay->add(delay);
      tally_.longest_queue =
          std::max(tally_.longest_queue, static_cast<std::uint64_t>(policy_.queued(state_, now)));
    }
  }

  /// The worst window is computed from the admissions alone, not from the policy's state.
  void audit(const KeyRows& rows, const Verdicts& verdicts) {
    if (verdicts.refused == 0) {
      tally_.worst.add(rows.key, rows.at, rows.cost);
      return;
    }
    admitted_at_.clear();
    admitted_cost_.clear();
    for (std::size_t i = 0; i < rows.at.size(); ++i) {
      if (verdicts.outcome[i] != Outcome::kAdmitted) continue;
      admitted_at_.push_back(rows.at[i]);
      if (!rows.cost.empty()) admitted_cost_.push_back(rows.cost[i]);
    }
    tally_.worst.add(rows.key, admitted_at_, admitted_cost_);
  }

  P policy_;
  Duration tick_;
  const Buckets* buckets_;
  bool charges_refused_;
  bool queues_;
  typename P::State state_;
  Tally tally_;
  std::vector<std::int64_t> admitted_at_;
  std::vector<Cost> admitted_cost_;
};

}  // namespace

std::unique_ptr<Lane> make_lane(const AnyPolicy& policy, Duration tick, const Buckets& buckets,
                                std::size_t top) {
  return std::visit(
      [&]<class P>(const P& made) -> std::unique_ptr<Lane> {
        return std::make_unique<LaneOf<P>>(made, tick, buckets, top);
      },
      policy);
}

void compare(const Verdicts& lane, const Verdicts& reference, Agreement& agreement) {
  const std::size_t size = lane.outcome.size();
  if (lane.refused == 0 && reference.refused == 0) {
    agreement.agree += size;
    return;
  }
  std::uint64_t looser = 0;
  std::uint64_t stricter = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const bool ours = lane.outcome[i] == Outcome::kAdmitted;
    const bool theirs = reference.outcome[i] == Outcome::kAdmitted;
    looser += ours && !theirs;
    stricter += theirs && !ours;
  }
  agreement.looser += looser;
  agreement.stricter += stricter;
  agreement.agree += size - looser - stricter;
}

}  // namespace ratereplay
