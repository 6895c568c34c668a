// SPDX-License-Identifier: Apache-2.0
#include "replay/lane.hpp"

#include <algorithm>
#include <variant>

#include "divisor.hpp"

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
        by_window_(static_cast<std::uint64_t>(policy.limit().window.count())),
        tally_(tick, policy.limit().window, buckets, top, queues_),
        calm_tally_(tick, policy.limit().window, buckets, top, queues_),
        admissions_(&admissions) {}

  void replay(const KeyRows& rows, Verdicts& verdicts) override { replay(rows, verdicts, tally_); }

  void replay_calm(const KeyRows& rows) override {
    if constexpr (CalmPolicy<P>) {
      if (note_calm(rows)) {
        calm_tally_.admitted += rows.at.size();
        calm_tally_.worst.add(rows.key, rows.at, rows.cost);
        return;
      }
    }
    replay(rows, calm_verdicts_, calm_tally_);
  }

  Tally& tally() override { return tally_; }
  Tally& calm_tally() override { return calm_tally_; }

 private:
  static constexpr std::int64_t kPlainTime = std::int64_t{1} << 61;
  static constexpr std::size_t kKeptLives = 4096;
  static constexpr bool kIsLog = std::same_as<P, SlidingLog>;

  static bool is_admitted(Outcome outcome) { return outcome == Outcome::kAdmitted; }

  static bool queues(const P& policy) {
    if constexpr (QueueingPolicy<P>) return policy.options().mode == Mode::kQueue;
    return false;
  }

  void replay(const KeyRows& rows, Verdicts& verdicts, Tally& tally) {
    const std::size_t size = rows.at.size();
    std::vector<std::int64_t>& at = admissions_->at;
    std::vector<Cost>& cost = admissions_->cost;
    if (at.size() < size) at.resize(size);
    if (cost.size() < rows.cost.size()) cost.resize(rows.cost.size());
    admissions_->runs.clear();
    const std::size_t admitted = replay_rows(rows, verdicts.outcome, tally);
    verdicts.refused = size - admitted;
    tally.admitted += admitted;
    tally.refused += verdicts.refused;
    if (verdicts.refused > 0) {
      const auto first = std::ranges::find_if_not(verdicts.outcome, is_admitted);
      ++tally.keys_refused;
      tally.top.offer({rows.key, size, verdicts.refused,
                       rows.at[static_cast<std::size_t>(first - verdicts.outcome.begin())]});
    }
    const auto at_admitted = std::span(at).first(admitted);
    const auto cost_admitted = std::span(cost).first(rows.cost.empty() ? 0 : admitted);
    if constexpr (kIsLog) {
      if (charges_refused_) {
        tally.live_units.add(policy_, rows.at, rows.cost, rows.runs, tally.live_keys);
      } else {
        tally.live_units.add(policy_, at_admitted, cost_admitted, admissions_->runs,
                             tally.live_keys);
      }
    }
    // The worst window is computed from the admissions alone, not from the policy's state.
    tally.worst.add(rows.key, at_admitted, cost_admitted);
  }

  /// The number of admitted rows, whose instants and costs are noted down.
  std::size_t replay_rows(const KeyRows& rows, std::vector<Outcome>& outcomes, Tally& tally) {
    if constexpr (kIsLog) {
      if (rows.cost.empty() && !charges_refused_) return replay_units(rows, outcomes, tally);
    }
    return rows.cost.empty() ? replay_rows<false>(rows, outcomes, tally)
                             : replay_rows<true>(rows, outcomes, tally);
  }

  template <bool kWithCosts>
  std::size_t replay_rows(const KeyRows& rows, std::vector<Outcome>& outcomes, Tally& tally) {
    outcomes.resize(rows.at.size());
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
      if (admitted > admitted_before) admissions_->runs.push_back({run.bucket, admitted});
    }
    cross(buckets_->count(), tally);
    return admitted;
  }

  /// The same for a log of single units that charges the admitted: the admissions are its entries.
  std::size_t replay_units(const KeyRows& rows, std::vector<Outcome>& outcomes, Tally& tally) {
    outcomes.assign(rows.at.size(), Outcome::kAdmitted);
    const auto limit = static_cast<std::size_t>(policy_.limit().count);
    std::int64_t* const entries = admissions_->at.data();
    std::size_t admitted = 0;
    std::size_t i = 0;
    for (const BucketRun& run : rows.runs) {
      const std::size_t admitted_before = admitted;
      const std::size_t start = i;
      while (i < run.end) {
        const std::int64_t at = rows.at[i];
        if (admitted < limit) [[unlikely]] {
          entries[admitted++] = at;
          ++i;
          continue;
        }
        const Instant oldest{Duration{entries[admitted - limit]}};
        if (policy_.has_left(oldest, Instant{Duration{at}})) {
          entries[admitted++] = at;
          ++i;
          continue;
        }
        const Instant due = policy_.leaves_at(oldest);
        const std::size_t first = i;
        while (i < run.end && Instant{Duration{rows.at[i]}} < due) {
          outcomes[i++] = Outcome::kRefused;
        }
        tally.retry_after.add_waits(rows.at.subspan(first, i - first), due);
      }
      tally.refused_in[run.bucket] += (run.end - start) - (admitted - admitted_before);
      if (admitted > admitted_before) admissions_->runs.push_back({run.bucket, admitted});
    }
    return admitted;
  }

  /// Notes where a calm key has state, if its rows alone tell that.
  bool note_calm(const KeyRows& rows) {
    if constexpr (kIsLog) {
      calm_tally_.live_units.add(policy_, rows.at, rows.cost, rows.runs, calm_tally_.live_keys);
      return true;
    } else {
      const Options& options = policy_.options();
      if (options.anchor != Anchor::kEpoch || options.clock || !rows.cost.empty()) return false;
      // The charges of the last window that has any make up the state.
      std::size_t first = 0;
      const auto longest = static_cast<std::uint64_t>(policy_.calm_window().count());
      const auto expires_after = [&](std::size_t charges, std::int64_t edge) {
        const std::int64_t last = rows.at[charges - 1];
        const std::uint64_t gone = since_window_began(last);
        if (elapsed(last, edge) + gone >= longest) return edge;
        while (elapsed(rows.at[first], last) > gone) ++first;
        return expires_after_window(last, gone, charges - first);
      };
      calm_tally_.live_keys.add(rows.at, rows.runs, policy_.calm_window(), expires_after);
      return true;
    }
  }

  /// When a key's state expires, in ns, after `count` charges in the window that began `gone` ns
  /// before `last` and none in that before.
  std::int64_t expires_after_window(std::int64_t last, std::uint64_t gone, std::size_t count) {
    // Away from the ends of time, how long that is after the window began depends on the count
    // alone.
    const bool plain = last > -kPlainTime && last < kPlainTime &&
                       policy_.calm_window().count() < kPlainTime;
    const std::int64_t begin = last - static_cast<std::int64_t>(gone);
    if (plain && count < lives_.size() && lives_[count] != 0) return begin + lives_[count];
    state_.reset();
    policy_.commit(state_, Instant{Duration{last}}, static_cast<Cost>(count));
    const std::int64_t end = policy_.expires_at(state_).time_since_epoch().count();
    if (plain && count < kKeptLives) {
      if (count >= lives_.size()) lives_.resize(count + 1);
      lives_[count] = end - begin;
    }
    return end;
  }

  /// ns from the start of the epoch's window to `at`.
  std::uint64_t since_window_began(std::int64_t at) const {
    if (at < 0) return static_cast<std::uint64_t>(floor_mod(at, policy_.limit().window.count()));
    const auto ns = static_cast<std::uint64_t>(at);
    return ns - by_window_.quotient(ns) * by_window_.value();
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
    if constexpr (!kIsLog) {
      if (cost > 0 && (outcome == Outcome::kAdmitted || charges_refused_)) {
        tally.live_keys.charge(bucket);
      }
    }
    return outcome;
  }

  void cross(std::size_t bucket, Tally& tally) {
    if constexpr (!kIsLog) {
      tally.live_keys.cross(bucket, [this] { return policy_.expires_at(state_); });
    }
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
  Divisor by_window_;
  typename P::State state_;
  Tally tally_;
  Tally calm_tally_;
  Verdicts calm_verdicts_;
  std::vector<std::int64_t> lives_;  ///< by count, 0 = not known yet: see expires_after_window
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
