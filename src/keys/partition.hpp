// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "keys/key.hpp"
#include "keys/row_batch.hpp"
#include "keys/row_memory.hpp"
#include "keys/spill_file.hpp"
#include "keys/stamp_ranks.hpp"
#include "keys/time_unit.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// How rows that are earlier than the row before them are treated.
enum class Order : std::uint8_t {
  kSort,    ///< rows of a key are put in time order, equal instants as in the file
  kStrict,  ///< the first such row ends the run
  kClamp,   ///< a late row takes the latest instant of its key
};

/// The rows of one partition, key by key in replay order. Row i of key k stands at
/// first[k] + i, for i < first[k + 1] - first[k]. Reused from partition to partition.
struct GroupedRows {
  std::vector<std::uint64_t> first;
  std::vector<std::int64_t> at;    ///< ns
  std::vector<Cost> cost;          ///< empty when every cost is 1
  std::vector<std::uint64_t> row;  ///< 0-based over all files; empty unless rows are kept
  std::vector<PackedKey> keys;
  std::uint64_t shared_stamps = 0;  ///< rows whose stamp in the file another row of the key has
};

/// All requests of the keys that share a hash prefix. Rows are absorbed wave by wave and kept
/// small: per row a time relative to the wave, the number of its key here, and cost and row number
/// only when the job needs them.
class Partition {
 public:
  /// A batch of the wave and the number of its first row over all files.
  struct Piece {
    const RowBatch* batch;
    std::uint64_t first_row;
    /// With --subsecond spread: the rank of each row of the batch, and what it counts in. All
    /// pieces of a wave have them, or none.
    const std::uint32_t* ranks = nullptr;
    std::shared_ptr<const StampRanks> stamps{};
  };

  /// Takes partition `index` of every piece, in order. The rows are kept in `memory`.
  void absorb(std::span<const Piece> wave, std::size_t index, bool keep_rows, RowMemory& memory);

  /// Sorts the rows by key and each key's rows as `order` says.
  void group(Order order, GroupedRows& grouped) const;
  /// Calls use(key) for all keys by their numbers.
  template <class Use>
  void for_each_key(const Use& use) const {
    for (const PackedKey& key : keys_) use(key);
  }

  /// A place among the rows as they were absorbed.
  struct Cursor {
    std::size_t segment = 0;
    std::size_t index = 0;
  };
  /// Calls take(row, at, key, cost) for the rows from `cursor` on whose numbers are below `end`,
  /// and moves it behind them. Row numbers must have been kept, the rows be in memory and their
  /// stamps as in the file.
  template <class Take>
  void take_rows(Cursor& cursor, std::uint64_t end, const Take& take) const;

  /// Gives the memory of the rows back; keys stay.
  void drop_rows() { std::vector<Segment>().swap(segments_); }
  /// Moves the rows that are in memory to `file`; group() reads them again.
  void spill(const std::shared_ptr<SpillFile>& file);

  /// Of the rows in memory.
  [[nodiscard]] std::uint64_t row_bytes() const noexcept { return row_bytes_; }

  [[nodiscard]] std::size_t keys() const noexcept { return keys_.size(); }
  [[nodiscard]] std::uint64_t rows() const noexcept { return row_count_; }
  [[nodiscard]] std::uint64_t cost_total() const noexcept { return cost_total_; }
  /// What every stamp is a multiple of.
  [[nodiscard]] TimeUnit unit() const noexcept { return unit_; }

 private:
  /// Of the hash table: in the lower bits, as many as a place in it has, the number of a key; above
  /// them bits of its hash. The numbers fill no more than half the places, so that no key is kFree.
  using Slot = std::uint32_t;
  static constexpr Slot kFree = ~Slot{0};
  /// The rows of one wave; times are base + time * unit, or whole when they do not fit 32 bits.
  struct Segment {
    std::int64_t base = 0;
    std::int64_t unit = 1;
    std::uint64_t first_row = 0;
    std::size_t size = 0;
    std::shared_ptr<std::uint32_t[]> time;
    std::shared_ptr<std::int64_t[]> wide_time;
    std::shared_ptr<std::uint16_t[]> id;
    std::shared_ptr<std::uint32_t[]> wide_id;
    std::shared_ptr<Cost[]> cost;
    std::shared_ptr<std::uint32_t[]> row;
    std::shared_ptr<std::uint32_t[]> rank;
    std::shared_ptr<const StampRanks> stamps;

    /// Where the columns are kept one after the other, and which there are, when not in memory.
    std::optional<std::uint64_t> spilled_to;
    std::uint32_t spilled_columns = 0;

    /// Calls take(column) for all columns, in one order.
    template <class Segment, class Take>
    static void for_each_column(Segment& segment, const Take& take) {
      take(segment.time);
      take(segment.wide_time);
      take(segment.id);
      take(segment.wide_id);
      take(segment.cost);
      take(segment.row);
      take(segment.rank);
    }
    /// Bytes of the columns in memory.
    [[nodiscard]] std::uint64_t bytes() const;
    void spill(SpillFile& file);
    /// A copy that has its columns in memory.
    [[nodiscard]] Segment loaded(const SpillFile& file) const;

    /// Calls use(ids) with the column of keys that there is.
    template <class Use>
    void with_ids(const Use& use) const {
      if (id) {
        use(id.get());
      } else {
        use(wide_id.get());
      }
    }
    /// Calls use(at), where at(i) is the time of a row in ns.
    template <class Use>
    void with_times(const Use& use) const {
      if (time) {
        use([offsets = time.get(), base = base, unit = unit](std::size_t i) {
          return base + static_cast<std::int64_t>(offsets[i]) * unit;
        });
      } else {
        use([times = wide_time.get()](std::size_t i) { return times[i]; });
      }
    }
  };

  /// Calls use(segment) for all of them, in order; their columns are in memory meanwhile.
  template <class Use>
  void for_each_segment(const Use& use) const {
    for (const Segment& segment : segments_) {
      if (segment.spilled_to) {
        use(segment.loaded(*file_));
      } else {
        use(segment);
      }
    }
  }

  void absorb_details(std::span<const Piece> wave, std::size_t index, Segment& segment);
  template <class Id>
  void intern_rows(std::span<const RawRow> rows, Id* ids);
  /// The number of a key.
  std::uint32_t intern(const PackedKey& key, std::uint64_t hash) {
    const std::size_t mask = table_.size() - 1;
    const Slot tag = tag_of(hash);
    for (std::size_t at = slot_of(hash);; at = (at + 1) & mask) {
      const Slot slot = table_[at];
      if (slot == kFree) return add_key(key, hash);
      const Slot id = slot ^ tag;
      if (id <= mask && keys_[id] == key) return id;
    }
  }
  std::uint32_t add_key(const PackedKey& key, std::uint64_t hash);
  void place(std::uint32_t id, std::uint64_t hash);
  void grow();
  [[nodiscard]] std::size_t slot_of(std::uint64_t hash) const noexcept {
    return (hash << RowBatch::kPartitionBits) >> shift_;
  }
  [[nodiscard]] Slot tag_of(std::uint64_t hash) const noexcept {
    return static_cast<Slot>(hash) << (64 - shift_);
  }

  std::vector<PackedKey> keys_;  // by number
  std::vector<Slot> table_;
  unsigned shift_ = 64;
  std::uint64_t row_count_ = 0;
  std::uint64_t cost_total_ = 0;
  TimeUnit unit_;
  std::vector<Segment> segments_;
  std::uint64_t row_bytes_ = 0;
  std::shared_ptr<SpillFile> file_;
  std::vector<std::unique_ptr<char[]>> arena_;  ///< texts of long keys
  std::size_t arena_left_ = 0;
};

template <class Take>
void Partition::take_rows(Cursor& cursor, std::uint64_t end, const Take& take) const {
  for (; cursor.segment < segments_.size(); cursor = {cursor.segment + 1, 0}) {
    const Segment& segment = segments_[cursor.segment];
    if (segment.first_row >= end) return;
    const std::uint64_t own_end = end - segment.first_row;
    std::size_t i = cursor.index;
    segment.with_ids([&](const auto* ids) {
      segment.with_times([&](const auto& at) {
        for (; i < segment.size && segment.row.get()[i] < own_end; ++i) {
          take(segment.first_row + segment.row.get()[i], at(i), std::uint32_t{ids[i]},
               segment.cost ? segment.cost.get()[i] : Cost{1});
        }
      });
    });
    cursor.index = i;
    if (i < segment.size) return;
  }
}

}  // namespace ratereplay
