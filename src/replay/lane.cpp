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
    verdicts.outcome.assign(size, Outcome::kAdmitted);
    refused_in_run_.assign(rows.runs.size(), 0);
    const std::size_t admitted = replay_rows(rows, verdicts.outcome, tally);
    verdicts.refused = size - admitted;
    tally.admitted += admitted;
    tally.refused += verdicts.refused;
    if (verdicts.refused > 0) {
      const auto first = std::ranges::find_if_not(verdicts.outcome, is_admitted);
      ++tally.keys_refused;
      tally.top.offer({rows.key, size, verdicts.refused,
                       rows.at[static_cast<std::size_t>(first - verdicts.outcome.begin())]});
      for (std::size_t run = 0; run < rows.runs.size(); ++run) {
        tally.refused_in[rows.runs[run].bucket] += refused_in_run_[run];
      }
    }
    const auto at_admitted = std::span(at).first(admitted);
    const auto cost_admitted = std::span(cost).first(rows.cost.empty() ? 0 : admitted);
    if constexpr (kIsLog) {
      if (charges_refused_) {
        tally.live_units.add(policy_, rows.at, rows.cost, rows.runs, tally.live_keys);
      } else {
        tally.live_units.add(policy_, at_admitted, cost_admitted, runs_of_admitted(rows.runs),
                             tally.live_keys);
      }
    }
    // The worst window is computed from the admissions alone, not from the policy's state.
    tally.worst.add(rows.key, at_admitted, cost_admitted);
  }

  std::span<const BucketRun> runs_of_admitted(std::span<const BucketRun> runs) {
    std::vector<BucketRun>& admitted = admissions_->runs;
    admitted.clear();
    std::size_t start = 0;
    std::size_t end = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const std::size_t count = runs[run].end - start - refused_in_run_[run];
      start = runs[run].end;
      end += count;
      if (count > 0) admitted.push_back({runs[run].bucket, end});
    }
    return admitted;
  }

  /// The number of admitted rows, whose instants and costs are noted down.
  std::size_t replay_rows(const KeyRows& rows, std::span<Outcome> outcomes, Tally& tally) {
    if constexpr (kIsLog) {
      if (rows.cost.empty() && !charges_refused_) return replay_units(rows, outcomes, tally);
    }
    return rows.cost.empty() ? replay_rows<false>(rows, outcomes, tally)
                             : replay_rows<true>(rows, outcomes, tally);
  }

  template <bool kWithCosts>
  std::size_t replay_rows(const KeyRows& rows, std::span<Outcome> outcomes, Tally& tally) {
    state_.reset();
    std::size_t admitted = 0;
    std::size_t run = 0;
    cross(rows.runs[run].bucket, tally);
    for (std::size_t i = 0; i < rows.at.size();) {
      if (i >= rows.runs[run].end) {
        run = run_of(i, rows, run);
        cross(rows.runs[run].bucket, tally);
      }
      const Instant now{Duration{rows.at[i]}};
      const Cost cost = kWithCosts ? rows.cost[i] : 1;
      const Outcome outcome = decide(now, cost, rows.runs[run].bucket, tally);
      if (outcome == Outcome::kAdmitted) [[likely]] {
        admissions_->at[admitted] = rows.at[i];
        if (kWithCosts) admissions_->cost[admitted] = cost;
        ++admitted;
        ++i;
        continue;
      }
      if (outcome == Outcome::kNever) {
        outcomes[i++] = outcome;
        ++refused_in_run_[run];
        ++tally.never;
        continue;
      }
      const Instant due = policy_.due(state_, now, cost);
      std::size_t end = i + 1;
      if (!charges_refused_) {
        // A refusal changes nothing: until it is due, whoever asks for as much is refused too.
        while (end < rows.at.size() && Instant{Duration{rows.at[end]}} < due &&
               (!kWithCosts || rows.cost[end] == cost)) {
          ++end;
        }
      }
      refuse(rows, i, end, due, run, outcomes, tally);
      i = end;
    }
    cross(buckets_->count(), tally);
    return admitted;
  }

  /// The same for a log of single units that charges the admitted: the admissions are its entries.
  std::size_t replay_units(const KeyRows& rows, std::span<Outcome> outcomes, Tally& tally) {
    // Nothing that is written here can change a copy.
    const P policy = policy_;
    const auto limit = static_cast<std::size_t>(policy.limit().count);
    std::int64_t* const entries = admissions_->at.data();
    std::size_t admitted = std::min(limit, rows.at.size());
    std::copy_n(rows.at.begin(), admitted, entries);
    std::size_t run = 0;
    for (std::size_t i = admitted; i < rows.at.size();) {
      const Instant oldest{Duration{entries[admitted - limit]}};
      if (policy.has_left(oldest, Instant{Duration{rows.at[i]}})) {
        entries[admitted++] = rows.at[i++];
        continue;
      }
      const Instant due = policy.leaves_at(oldest);
      std::size_t end = i + 1;
      while (end < rows.at.size() && Instant{Duration{rows.at[end]}} < due) ++end;
      run = run_of(i, rows, run);
      refuse(rows, i, end, due, run, outcomes, tally);
      i = end;
    }
    return admitted;
  }

  /// Which run holds row i: `run` or one behind it.
  static std::size_t run_of(std::size_t i, const KeyRows& rows, std::size_t run) {
    while (rows.runs[run].end <= i) ++run;
    return run;
  }

  /// Rows [first, end), the first of them in `run`, wait until `due`.
  void refuse(const KeyRows& rows, std::size_t first, std::size_t end, Instant due, std::size_t run,
              std::span<Outcome> outcomes, Tally& tally) {
    std::ranges::fill(outcomes.subspan(first, end - first), Outcome::kRefused);
    tally.retry_after.add_waits(rows.at.subspan(first, end - first), due);
    for (; rows.runs[run].end < end; first = rows.runs[run++].end) {
      refused_in_run_[run] += rows.runs[run].end - first;
    }
    refused_in_run_[run] += end - first;
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
    const bool plain =
        last > -kPlainTime && last < kPlainTime && policy_.calm_window().count() < kPlainTime;
    const auto since = plain ? static_cast<std::int64_t>(gone) : 0;
    if (plain && count < lives_.size() && lives_[count] != 0) return last - since + lives_[count];
    state_.reset();
    policy_.commit(state_, Instant{Duration{last}}, static_cast<Cost>(count));
    const std::int64_t end = policy_.expires_at(state_).time_since_epoch().count();
    if (plain && count < kKeptLives) {
      if (count >= lives_.size()) lives_.resize(count + 1);
      lives_[count] = end - (last - since);
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
  std::vector<std::size_t> refused_in_run_;  ///< of the key at hand
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

void compare(const Verdicts& lane, const Verdicts& reference, Agreement& agreement) {
  if (lane.refused == 0) {
    agreement.looser += reference.refused;
  } else if (reference.refused == 0) {
    agreement.stricter += lane.refused;
  } else {
    compare(lane.outcome, reference.outcome, agreement);
  }
}

}  // namespace ratereplay
