// SPDX-License-Identifier: Apache-2.0
#include "replay/worker.hpp"

#include <algorithm>
#include <functional>
#include <future>
#include <limits>

#include "interrupt.hpp"
#include "parallel.hpp"
#include "replay/unit_rules.hpp"

namespace ratereplay {
namespace {

bool holds(const LaneFamily& family, std::size_t lane, std::size_t members) {
  return std::ranges::find(std::span(family.members).first(members), lane,
                           &LaneFamily::Member::lane) !=
         std::span(family.members).first(members).end();
}

std::size_t least_limit(std::span<const LaneFamily> families) {
  std::uint64_t least = families.front().limits.front();
  for (const LaneFamily& family : families) least = std::min(least, family.limits.front());
  return least;
}

/// Rows from which on a key is not calm in every family by their number alone.
std::size_t least_apart(std::span<const LaneFamily> families) {
  const auto is_never_calm = [](const LaneFamily& family) { return !family.calm_window; };
  return std::ranges::any_of(families, is_never_calm) ? 0 : least_limit(families) + 1;
}

}  // namespace

Worker::Worker(std::span<const PolicySpec> policies, std::span<const LaneFamily> families,
               const ReplayOptions& options, const Buckets& buckets)
    : families_(families),
      family_of_reference_(&*std::ranges::find_if(families,
                                                  [&](const LaneFamily& family) {
                                                    return holds(family, options.reference,
                                                                 family.members.size());
                                                  })),
      reference_(options.reference),
      least_busy_(least_limit(families) + 1),
      least_apart_(least_apart(families)),
      by_tick_(static_cast<std::uint64_t>(options.tick.count())),
      buckets_(&buckets),
      offered_(buckets.count()) {
  for (const LaneFamily& family : families) {
    calm_keys_.resize(std::max(calm_keys_.size(), family.members.size()));
  }
  for (const PolicySpec& spec : policies) {
    lanes_.push_back(make_lane(spec.policy, options.tick, buckets, options.top, admissions_));
  }
}

void Worker::group(const TraceStore& trace, const Partition& partition) {
  partition.group(trace.order, grouped_);
  shared_stamps_ += grouped_.shared_stamps;
}

void Worker::replay_keys() { replay_keys(0, grouped_.keys.size()); }

void Worker::replay_keys(std::span<const std::unique_ptr<Worker>> workers, std::uint64_t rows) {
  std::size_t first = 0;
  for (std::size_t key = 0; key < grouped_.keys.size(); ++key) {
    if (grouped_.first[key + 1] - grouped_.first[key] < rows) continue;
    replay_keys(first, key);
    take(key, key + 1);
    replay_side_by_side(workers);
    first = key + 1;
  }
  replay_keys(first, grouped_.keys.size());
}

void Worker::replay_keys(std::size_t first, std::size_t end) {
  while (first < end) {
    stop_if_interrupted();
    std::size_t next = first + 1;
    while (next < end && grouped_.first[next + 1] - grouped_.first[first] <= kRowsPerBatch) ++next;
    take(first, next);
    replay_batch();
    first = next;
  }
}

/// Makes keys [first, end) of the rows taken the keys at hand.
void Worker::take(std::size_t first, std::size_t end) {
  const std::size_t total = grouped_.first[end] - grouped_.first[first];
  keys_.clear();
  apart_.clear();
  ticks_.resize(total);
  runs_.clear();
  // So that they stay where they are.
  runs_.reserve(std::min(total, (end - first) * buckets_->count()));
  for (std::size_t key = first; key < end; ++key) {
    const std::size_t begin = grouped_.first[key];
    const std::size_t size = grouped_.first[key + 1] - begin;
    if (size == 0) continue;
    KeyRows& rows = keys_.emplace_back();
    rows.key = grouped_.keys[key];
    rows.at = std::span(grouped_.at).subspan(begin, size);
    if (!grouped_.cost.empty()) rows.cost = std::span(grouped_.cost).subspan(begin, size);
    rows.runs = cut_into_runs(rows.at);
    rows.plain = rows.cost.empty() && are_plain(rows.at) &&
                 rows.at.front() >= buckets_->start().time_since_epoch().count();
    if (size >= least_busy_) count_ticks(rows, begin - grouped_.first[first]);
    if (size >= least_apart_ || !rows.plain) apart_.push_back(keys_.size() - 1);
  }
  // One at least, for a key that is alone at hand.
  const std::size_t verdicts = std::max<std::size_t>(apart_.size(), 1);
  if (reference_verdicts_.size() < verdicts) reference_verdicts_.resize(verdicts);
}

/// Adds the runs of `at`, which is in order.
std::span<const BucketRun> Worker::cut_into_runs(std::span<const std::int64_t> at) {
  const std::size_t first = runs_.size();
  for (std::size_t i = 0; i < at.size();) {
    const std::size_t begin = i;
    const std::size_t bucket = buckets_->index(at[i]);
    const std::int64_t end = buckets_->end(bucket);
    if (bucket + 1 == buckets_->count()) {
      i = at.size();
    } else {
      while (++i < at.size() && at[i] < end) {
      }
    }
    offered_[bucket] += i - begin;
    runs_.push_back({i, static_cast<std::uint32_t>(bucket), begin == 0});
  }
  return std::span(runs_).subspan(first);
}

/// Ticks of the key whose rows are at hand from the first on.
void Worker::count_ticks(KeyRows& rows, std::size_t first) {
  const std::int64_t start = rows.at.front();
  const std::uint64_t tick = by_tick_.value();
  if (elapsed(start, rows.at.back()) / tick > std::numeric_limits<std::uint32_t>::max()) return;
  std::uint32_t* const ticks = ticks_.data() + first;
  for (std::size_t i = 0; i < rows.at.size(); ++i) {
    const std::uint64_t since = elapsed(start, rows.at[i]);
    const std::uint64_t whole = by_tick_.quotient(since);
    if (whole * tick != since) return;
    ticks[i] = static_cast<std::uint32_t>(whole);
  }
  rows.ticks = {ticks, rows.at.size()};
}

/// The keys at hand, lane after lane, so that what a lane adds to stays in the cache.
void Worker::replay_batch() {
  // The others are compared with the reference, so that it is begun first.
  sort_out(*family_of_reference_);
  std::uint64_t refused_by_reference = 0;
  for (std::size_t i = 0; i < apart_.size(); ++i) reference_verdicts_[i].clear();
  for (const auto& [i, calm_from] : busy_keys_) {
    if (!holds(*family_of_reference_, reference_, calm_from)) continue;
    lanes_[reference_]->replay(keys_[apart_[i]], reference_verdicts_[i]);
    refused_by_reference += reference_verdicts_[i].refused;
  }
  replay_batch(*family_of_reference_, refused_by_reference);
  for (const LaneFamily& family : families_) {
    if (&family == family_of_reference_) continue;
    sort_out(family);
    replay_batch(family, refused_by_reference);
  }
}

/// Tells the keys at hand apart by where they are busy in the family.
void Worker::sort_out(const LaneFamily& family) {
  for (std::vector<std::span<const KeyRows>>& keys : calm_keys_) keys.clear();
  busy_keys_.clear();
  const std::span<const KeyRows> keys(keys_);
  std::size_t calm = 0;  // the first key of those that may be calm together
  const auto end_calm = [&](std::size_t key) {
    if (calm < key) calm_keys_.front().push_back(keys.subspan(calm, key - calm));
    calm = key + 1;
  };
  for (std::size_t i = 0; i < apart_.size(); ++i) {
    const std::size_t key = apart_[i];
    const std::size_t calm_from = first_calm(family, keys[key]);
    if (calm_from == 0 && keys[key].plain) continue;
    end_calm(key);
    if (calm_from < family.members.size()) {
      calm_keys_[calm_from].push_back(keys.subspan(key, 1));
    }
    if (calm_from > 0) busy_keys_.push_back({i, calm_from});
  }
  end_calm(keys.size());
}

/// The keys at hand, sorted out, through the lanes of the family, but those of the reference.
void Worker::replay_batch(const LaneFamily& family, std::uint64_t refused_by_reference) {
  for (std::size_t member = 0; member < family.members.size(); ++member) {
    const std::size_t lane = family.members[member].lane;
    std::uint64_t refused_elsewhere = refused_by_reference;
    for (const auto& [i, calm_from] : busy_keys_) {
      if (calm_from <= member) continue;
      refused_elsewhere -= reference_verdicts_[i].refused;
      if (lane == reference_) continue;
      lanes_[lane]->replay(keys_[apart_[i]], verdicts_);
      compare(verdicts_, reference_verdicts_[i], tally(lane).agreement);
    }
    for (const std::span<const KeyRows> keys : calm_keys_[member]) {
      lanes_[lane]->replay_calm(keys);
    }
    tally(lane).agreement.looser += refused_elsewhere;
  }
}

/// The one key at hand.
void Worker::replay_side_by_side(std::span<const std::unique_ptr<Worker>> workers) {
  const KeyRows& rows = keys_.front();
  Verdicts& of_reference = reference_verdicts_.front();
  of_reference.clear();
  struct Task {
    const LaneFamily* family;
    std::size_t member;
    bool calm;
  };
  std::vector<Task> tasks;
  for (const LaneFamily& family : families_) {
    const std::size_t calm_from = first_calm(family, rows);
    for (std::size_t i = 0; i < family.members.size() && i <= calm_from; ++i) {
      tasks.push_back({&family, i, i == calm_from});
    }
  }
  // The others are compared with the reference, so that it is begun first.
  const auto is_reference = [&](const Task& task) {
    return !task.calm && task.family->members[task.member].lane == reference_;
  };
  std::ranges::stable_partition(tasks, is_reference);
  std::promise<void> decided;
  const std::shared_future<void> reference_decided = decided.get_future().share();
  if (!is_reference(tasks.front())) decided.set_value();

  const auto threads = static_cast<unsigned>(workers.size());
  share_out(threads, tasks.size(), [&](unsigned thread, std::size_t i) {
    Worker& worker = *workers[thread];
    const auto& [family, member, calm] = tasks[i];
    if (is_reference(tasks[i])) {
      try {
        stop_if_interrupted();
        worker.lanes_[reference_]->replay(rows, of_reference);
        decided.set_value();
      } catch (...) {
        decided.set_exception(std::current_exception());
      }
    } else if (calm) {
      reference_decided.get();
      worker.lanes_[family->members[member].lane]->replay_calm({&rows, 1});
      for (const LaneFamily::Member& each : std::span(family->members).subspan(member)) {
        worker.tally(each.lane).agreement.looser += of_reference.refused;
      }
    } else {
      const std::size_t lane = family->members[member].lane;
      worker.lanes_[lane]->replay(rows, worker.verdicts_);
      reference_decided.get();
      compare(worker.verdicts_, of_reference, worker.tally(lane).agreement);
    }
  });
  reference_decided.get();
}

void Worker::share_calm() {
  for (const LaneFamily& family : families_) {
    const Tally* before = nullptr;
    for (const LaneFamily::Member& member : family.members) {
      Tally& calm_tally = lanes_[member.lane]->calm_tally();
      if (before != nullptr) calm_tally.merge(*before);
      lanes_[member.lane]->tally().merge(calm_tally);
      before = &calm_tally;
    }
  }
}

void Worker::merge(Worker& other) {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane]->tally().merge(other.lanes_[lane]->tally());
  }
  std::ranges::transform(offered_, other.offered_, offered_.begin(), std::plus<>());
  shared_stamps_ += other.shared_stamps_;
}

}  // namespace ratereplay
