// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "divisor.hpp"
#include "keys/trace_store.hpp"
#include "replay/engine.hpp"
#include "replay/family.hpp"
#include "replay/lane.hpp"

namespace ratereplay {

/// One thread's lanes, scratch and sums.
class Worker {
 public:
  /// All of them must outlive it.
  Worker(std::span<const PolicySpec> policies, std::span<const LaneFamily> families,
         const ReplayOptions& options, const Buckets& buckets);

  /// Takes the partition's rows.
  void group(const TraceStore& trace, const Partition& partition);
  /// Replays the rows taken.
  void replay_keys();
  /// The same with the lanes of every key of at least `rows` rows spread over all workers, of which
  /// this is one.
  void replay_keys(std::span<const std::unique_ptr<Worker>> workers, std::uint64_t rows);

  /// Adds what the lanes of a family did for each other to their tallies. Nothing is replayed
  /// after that.
  void share_calm();
  void merge(Worker& other);

  [[nodiscard]] Tally& tally(std::size_t lane) { return lanes_[lane]->tally(); }
  /// Requests by bucket.
  [[nodiscard]] const std::vector<std::uint64_t>& offered() const noexcept { return offered_; }
  [[nodiscard]] std::uint64_t shared_stamps() const noexcept { return shared_stamps_; }

 private:
  static constexpr std::size_t kRowsPerBatch = 16384;

  void replay_keys(std::size_t first, std::size_t end);
  void take(std::size_t first, std::size_t end);
  std::span<const BucketRun> cut_into_runs(std::span<const std::int64_t> at);
  void count_ticks(KeyRows& rows, std::size_t first);
  void replay_batch();
  void sort_out(const LaneFamily& family);
  void replay_batch(const LaneFamily& family, std::uint64_t refused_by_reference);
  void replay_side_by_side(std::span<const std::unique_ptr<Worker>> workers);

  std::span<const LaneFamily> families_;
  const LaneFamily* family_of_reference_;
  std::size_t reference_;
  std::size_t least_busy_;   ///< rows of a key that can be refused anything
  std::size_t least_apart_;  ///< rows of a key that may not be calm under every limit
  Divisor by_tick_;
  const Buckets* buckets_;
  Admissions admissions_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::uint64_t> offered_;
  std::uint64_t shared_stamps_ = 0;

  GroupedRows grouped_;
  std::vector<KeyRows> keys_;         ///< those at hand
  std::vector<BucketRun> runs_;       ///< of all of them
  std::vector<std::uint32_t> ticks_;  ///< of those that may be busy
  std::vector<std::size_t> apart_;    ///< which of them are not known to be calm, or are not plain
  struct BusyKey {
    std::size_t apart;      ///< of those
    std::size_t calm_from;  ///< the first member of the family under which it is not busy
  };
  std::vector<BusyKey> busy_keys_;  ///< in the family at hand
  /// By the first member they are calm under; together where they are plain.
  std::vector<std::vector<std::span<const KeyRows>>> calm_keys_;
  std::vector<Verdicts> reference_verdicts_;  ///< of keys apart
  Verdicts verdicts_;                         ///< of the lane and key at hand
};

}  // namespace ratereplay
