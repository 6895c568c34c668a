// SPDX-License-Identifier: Apache-2.0
#include "replay/lane.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "divisor.hpp"
#include "replay/unit_rules.hpp"

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
        is_plain_(is_plain(policy)),
        grid_(policy.limit().window),
        by_tick_(static_cast<std::uint64_t>(tick.count())),
        tally_(tick, policy.limit().window, buckets, top, queues_, most_in_window(),
               life_in_log(policy)),
        calm_tally_(tick, policy.limit().window, buckets, top, queues_, most_in_window(),
                    life_in_log(policy)),
        admissions_(&admissions) {}

  void replay(const KeyRows& rows, Verdicts& verdicts) override { replay(rows, verdicts, tally_); }

  void replay_calm(std::span<const KeyRows> keys) override {
    if constexpr (CalmPolicy<P>) {
      const KeyRows& first = keys.front();
      const KeyRows& last = keys.back();
      if (are_plain_units(first)) {
        const std::span at(first.at.begin(), last.at.end());
        note_charges(at, {first.runs.begin(), last.runs.end()}, calm_tally_);
        calm_tally_.admitted += at.size();
        for (const KeyRows& rows : keys) calm_tally_.worst.add(rows.key, rows.at, rows.cost);
        return;
      }
      if constexpr (kIsLog) {
        for (const KeyRows& rows : keys) {
          calm_tally_.live_units.add(policy_, rows.at, rows.cost, rows.runs, calm_tally_.live_keys);
          calm_tally_.admitted += rows.at.size();
          calm_tally_.worst.add(rows.key, rows.at, rows.cost);
        }
        return;
      }
    }
    for (const KeyRows& rows : keys) replay(rows, calm_verdicts_, calm_tally_);
  }

  Tally& tally() override { return tally_; }
  Tally& calm_tally() override { return calm_tally_; }

 private:
  static constexpr std::size_t kKeptLives = 4096;
  static constexpr bool kIsLog = std::same_as<P, SlidingLog>;
  static constexpr bool kIsCounter = std::same_as<P, SlidingCounter>;

  static bool queues(const P& policy) {
    if constexpr (QueueingPolicy<P>) return policy.options().mode == Mode::kQueue;
    return false;
  }

  static Duration life_in_log(const P& policy) {
    if constexpr (kIsLog) return policy.leaves_at(Instant{}).time_since_epoch();
    return Duration{1};
  }

  /// What no key can have more units of in a trailing window.
  std::uint64_t most_in_window() const {
    return kIsLog && is_plain_ ? static_cast<std::uint64_t>(policy_.limit().count) : kNeverEnough;
  }

  /// Whether the plain way is good for these rows.
  bool are_plain_units(const KeyRows& rows) const { return is_plain_ && rows.plain; }

  void replay(const KeyRows& rows, Verdicts& verdicts, Tally& tally) {
    const std::size_t size = rows.at.size();
    std::vector<std::int64_t>& at = admissions_->at;
    std::vector<Cost>& cost = admissions_->cost;
    if (at.size() < size) at.resize(size);
    if (cost.size() < rows.cost.size()) cost.resize(rows.cost.size());
    verdicts.clear();
    if (refused_in_run_.size() < rows.runs.size()) refused_in_run_.resize(rows.runs.size());
    const std::size_t admitted = replay_rows(rows, verdicts, tally);
    tally.admitted += admitted;
    tally.refused += verdicts.refused;
    std::span<const BucketRun> runs = rows.runs;
    if (verdicts.refused > 0) {
      ++tally.keys_refused;
      tally.top.offer({rows.key, size, verdicts.refused, rows.at[verdicts.runs.front().first]});
      runs = take_refused(rows.runs, tally);
    }
    const auto at_admitted = std::span(at).first(admitted);
    const auto cost_admitted = std::span(cost).first(rows.cost.empty() ? 0 : admitted);
    if constexpr (kIsLog || kIsCounter) {
      if (charges_refused_) runs = rows.runs;
      const auto at_charged = charges_refused_ ? rows.at : at_admitted;
      if (are_plain_units(rows) && (kIsLog || !charges_refused_)) {
        note_charges(at_charged, runs, tally);
      } else if constexpr (kIsLog) {
        tally.live_units.add(policy_, at_charged, charges_refused_ ? rows.cost : cost_admitted,
                             runs, tally.live_keys);
      }
    }
    // The worst window is computed from the admissions alone, not from the policy's state.
    tally.worst.add(rows.key, at_admitted, cost_admitted);
  }

  /// Notes where plain keys have state, as their charges tell for a log and for what counts in
  /// windows.
  void note_charges(std::span<const std::int64_t> at, std::span<const BucketRun> runs,
                    Tally& tally) {
    if constexpr (kIsLog) {
      tally.live_units.add_units(at, runs, policy_.limit().count, tally.live_keys);
    } else {
      tally.live_keys.add_windows(
          at, runs, [grid = grid_](std::int64_t instant) { return grid.gone(instant); },
          [this](std::size_t charges) { return life_of(charges); });
    }
  }

  /// How long the state lives, in ns from the start of the last window, which has the charges.
  std::int64_t life_of(std::size_t charges) {
    if (charges < lives_.size() && lives_[charges] != 0) return lives_[charges];
    state_.reset();
    policy_.commit(state_, Instant{}, static_cast<Cost>(charges));
    const std::int64_t life = policy_.expires_at(state_).time_since_epoch().count();
    if (charges < kKeptLives) {
      if (charges >= lives_.size()) lives_.resize(charges + 1);
      lives_[charges] = life;
    }
    return life;
  }

  /// Counts what refused_in_run_ holds by bucket and clears it. The runs of the admitted rows.
  std::span<const BucketRun> take_refused(std::span<const BucketRun> runs, Tally& tally) {
    std::vector<BucketRun>& left = admissions_->runs;
    if (left.size() < runs.size()) left.resize(runs.size());
    std::size_t count = 0;
    std::size_t all_refused = 0;
    std::size_t start = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const std::size_t refused = std::exchange(refused_in_run_[run], 0);
      tally.refused_in[runs[run].bucket] += refused;
      all_refused += refused;
      left[count] = {runs[run].end - all_refused, runs[run].bucket, count == 0, refused > 0};
      count += runs[run].end - start > refused ? 1 : 0;
      start = runs[run].end;
    }
    return std::span(left).first(count);
  }

  /// The number of admitted rows, whose instants and costs are noted down.
  std::size_t replay_rows(const KeyRows& rows, Verdicts& verdicts, Tally& tally) {
    if constexpr (kIsLog || kIsCounter) {
      if (!charges_refused_ && are_plain_units(rows)) {
        std::size_t run = 0;
        const auto refuse = [&](std::size_t first, std::size_t end, std::int64_t due) {
          while (rows.runs[run].end <= first) ++run;
          this->refuse(rows, first, end, Instant{Duration{due}}, run, verdicts, tally);
        };
        std::int64_t* const admitted = admissions_->at.data();
        if constexpr (kIsLog) {
          return replay_units(policy_, rows.at, admitted, refuse);
        } else {
          return replay_units(policy_, grid_, rows.at, admitted, refuse);
        }
      }
    }
    return rows.cost.empty() ? replay_rows<false>(rows, verdicts, tally)
                             : replay_rows<true>(rows, verdicts, tally);
  }

  template <bool kWithCosts>
  std::size_t replay_rows(const KeyRows& rows, Verdicts& verdicts, Tally& tally) {
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
        verdicts.refuse(i, i + 1);
        ++refused_in_run_[run];
        ++tally.never;
        ++i;
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
      refuse(rows, i, end, due, run, verdicts, tally);
      i = end;
    }
    cross(buckets_->count(), tally);
    return admitted;
  }

  /// Which run holds row i: `run` or one behind it.
  static std::size_t run_of(std::size_t i, const KeyRows& rows, std::size_t run) {
    while (rows.runs[run].end <= i) ++run;
    return run;
  }

  /// Rows [first, end), the first of them in `run`, wait until `due`.
  void refuse(const KeyRows& rows, std::size_t first, std::size_t end, Instant due, std::size_t run,
              Verdicts& verdicts, Tally& tally) {
    verdicts.refuse(first, end);
    const std::uint64_t wait = elapsed(rows.at.front(), due.time_since_epoch().count());
    if (rows.ticks.empty() || wait > Histogram::kPlainWait || due == Instant::max()) {
      tally.retry_after.add_waits(rows.at.subspan(first, end - first), due);
    } else {
      tally.retry_after.add_waits(rows.ticks.subspan(first, end - first),
                                  by_tick_.quotient(wait + by_tick_.value() - 1));
    }
    for (; rows.runs[run].end < end; first = rows.runs[run++].end) {
      refused_in_run_[run] += rows.runs[run].end - first;
    }
    refused_in_run_[run] += end - first;
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
  bool is_plain_;
  EpochGrid grid_;
  Divisor by_tick_;
  typename P::State state_;
  Tally tally_;
  Tally calm_tally_;
  Verdicts calm_verdicts_;
  std::vector<std::size_t> refused_in_run_;  ///< of the key at hand; 0 between keys
  std::vector<std::int64_t> lives_;          ///< by charges, 0 = not known yet: see life_of
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
  std::size_t both = 0;
  auto theirs = reference.runs.begin();
  for (const auto [first, end] : lane.runs) {
    while (theirs != reference.runs.end() && theirs->end <= first) ++theirs;
    for (auto run = theirs; run != reference.runs.end() && run->first < end; ++run) {
      both += std::min(end, run->end) - std::max(first, run->first);
      theirs = run;
    }
  }
  agreement.looser += reference.refused - both;
  agreement.stricter += lane.refused - both;
}

}  // namespace ratereplay
