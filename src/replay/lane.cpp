// SPDX-License-Identifier: Apache-2.0
#include "replay/lane.hpp"

#include <algorithm>
#include <variant>

namespace ratereplay {
namespace {

template <Policy P>
class LaneOf final : public Lane {
 public:
  LaneOf(const P& policy, Duration tick, const Buckets& buckets, std::size_t top,
         Admissions& admissions)
      : policy_(policy),
        buckets_(&buckets),
        charges_refused_(policy.options().charge == Charge::kAttempted),
        queues_(queues(policy)),
        tally_(tick, policy.limit().window, buckets, top, queues_),
        calm_tally_(tick, policy.limit().window, buckets, top, queues_),
        admissions_(&admissions) {}

  void replay(const KeyRows& rows, Verdicts& verdicts) override { replay(rows, verdicts, tally_); }
  void replay_calm(const KeyRows& rows) override { replay(rows, calm_verdicts_, calm_tally_); }

  Tally& tally() override { return tally_; }
  Tally& calm_tally() override { return calm_tally_; }

 private:
  static bool is_admitted(Outcome outcome) { return outcome == Outcome::kAdmitted; }

  static bool queues(const P& policy) {
    if constexpr (QueueingPolicy<P>) return policy.options().mode == Mode::kQueue;
    return false;
  }

  void replay(const KeyRows& rows, Verdicts& verdicts, Tally& tally) {
    const std::size_t size = rows.at.size();
    verdicts.outcome.resize(size);
    std::vector<std::int64_t>& at = admissions_->at;
    std::vector<Cost>& cost = admissions_->cost;
    if (at.size() < size) at.resize(size);
    if (cost.size() < rows.cost.size()) cost.resize(rows.cost.size());
    const std::size_t admitted = rows.cost.empty()
                                     ? replay_rows<false>(rows, verdicts.outcome, tally)
                                     : replay_rows<true>(rows, verdicts.outcome, tally);
    verdicts.refused = size - admitted;
    tally.admitted += admitted;
    tally.refused += verdicts.refused;
    if (verdicts.refused > 0) {
      const auto first = std::ranges::find_if_not(verdicts.outcome, is_admitted);
      ++tally.keys_refused;
      tally.top.offer({rows.key, size, verdicts.refused,
                       rows.at[static_cast<std::size_t>(first - verdicts.outcome.begin())]});
    }
    // The worst window is computed from the admissions alone, not from the policy's state.
    tally.worst.add(rows.key, std::span(at).first(admitted),
                    std::span(cost).first(rows.cost.empty() ? 0 : admitted));
  }

  /// The number of admitted rows, whose instants and costs are noted down.
  template <bool kWithCosts>
  std::size_t replay_rows(const KeyRows& rows, std::vector<Outcome>& outcomes, Tally& tally) {
    state_.reset();
    std::size_t admitted = 0;
    std::size_t i = 0;
    for (const BucketRun& run : rows.runs) {
      cross(run.bucket, tally);
      const std::size_t start = i;
      const std::size_t admitted_before = admitted;
      while (i < run.end) {
        const Instant now{Duration{rows.at[i]}};
        const Cost cost = kWithCosts ? rows.cost[i] : 1;
        const Outcome outcome = decide(now, cost, run.bucket, tally);
        outcomes[i] = outcome;
        if (outcome == Outcome::kAdmitted) [[likely]] {
          admissions_->at[admitted] = rows.at[i];
          if (kWithCosts) admissions_->cost[admitted] = cost;
          ++admitted;
          ++i;
          continue;
        }
        ++i;
        if (outcome == Outcome::kNever) {
          ++tally.never;
          continue;
        }
        const Instant due = policy_.due(state_, now, cost);
        const std::size_t first = i - 1;
        if (!charges_refused_) {
          // A refusal changes nothing: until it is due, whoever asks for as much is refused too.
          while (i < run.end && Instant{Duration{rows.at[i]}} < due &&
                 (!kWithCosts || rows.cost[i] == cost)) {
            outcomes[i++] = Outcome::kRefused;
          }
        }
        tally.retry_after.add_waits(rows.at.subspan(first, i - first), due);
      }
      tally.refused_in[run.bucket] += (run.end - start) - (admitted - admitted_before);
    }
    cross(buckets_->count(), tally);
    return admitted;
  }

  /// One request, with what it changes of the key's state.
  Outcome decide(Instant now, Cost cost, std::size_t bucket, Tally& tally) {
    Duration delay{0};
    if constexpr (QueueingPolicy<P>) {
      if (queues_ && cost > 0) delay = policy_.delay(state_, now);
    }
    const Outcome outcome = policy_.commit(state_, now, cost);
    if constexpr (QueueingPolicy<P>) {
      if (outcome == Outcome::kAdmitted) note_queue(now, delay, tally);
    }
    if (cost > 0 && (outcome == Outcome::kAdmitted || charges_refused_)) {
      tally.live_keys.charge(bucket);
      if constexpr (std::same_as<P, SlidingLog>) tally.live_units.charge(state_);
    }
    return outcome;
  }

  void cross(std::size_t bucket, Tally& tally) {
    tally.live_keys.cross(bucket, [this] { return policy_.expires_at(state_); });
    if constexpr (std::same_as<P, SlidingLog>) tally.live_units.cross(bucket, policy_, state_);
  }

  void note_queue(Instant now, Duration delay, Tally& tally) {
    if constexpr (QueueingPolicy<P>) {
      if (!queues_) return;
      tally.delay->add(delay);
      tally.longest_queue =
          std::max(tally.longest_queue, static_cast<std::uint64_t>(policy_.queued(state_, now)));
    }
  }

  P policy_;
  const Buckets* buckets_;
  bool charges_refused_;
  bool queues_;
  typename P::State state_;
  Tally tally_;
  Tally calm_tally_;
  Verdicts calm_verdicts_;
  Admissions* admissions_;
};

}  // namespace

std::unique_ptr<Lane> make_lane(const AnyPolicy& policy, Duration tick, const Buckets& buckets,
                                std::size_t top, Admissions& admissions) {
  return std::visit(
      [&]<class P>(const P& made) -> std::unique_ptr<Lane> {
        return std::make_unique<LaneOf<P>>(made, tick, buckets, top, admissions);
      },
      policy);
}

void compare(std::span<const Outcome> lane, std::span<const Outcome> reference,
             Agreement& agreement) {
  std::uint64_t looser = 0;
  std::uint64_t stricter = 0;
  for (std::size_t i = 0; i < lane.size(); ++i) {
    const bool ours = lane[i] == Outcome::kAdmitted;
    const bool theirs = reference[i] == Outcome::kAdmitted;
    looser += ours && !theirs;
    stricter += theirs && !ours;
  }
  agreement.looser += looser;
  agreement.stricter += stricter;
}

}  // namespace ratereplay
