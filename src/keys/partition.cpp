// SPDX-License-Identifier: Apache-2.0
#include "keys/partition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

namespace ratereplay {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kArenaBytes = std::size_t{64} << 10;

std::uint64_t distance(std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

/// What a wave's rows have in common; decides how they are kept.
struct Shape {
  std::size_t size = 0;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  TimeUnit unit;
  bool unit_costs = true;
};

Shape shape_of(std::span<const Partition::Piece> wave, std::size_t index) {
  Shape shape;
  for (const Partition::Piece& piece : wave) {
    const std::size_t rows = piece.batch->partition(index).size();
    if (rows == 0) continue;
    shape.size += rows;
    // Those of the whole batch: a look at every row of the partition would tell little more.
    const RowBatch::Times times = piece.batch->times();
    shape.earliest = std::min(shape.earliest, times.earliest);
    shape.latest = std::max(shape.latest, times.latest);
    shape.unit.include(times.unit);
    shape.unit_costs &= piece.batch->unit_costs();
  }
  return shape;
}

/// The stamps of one key.
struct Stamps {
  std::uint64_t shared = 0;  ///< that stand beside an equal one
  bool sorted = true;
};

Stamps look_at(std::span<const std::int64_t> at) noexcept {
  Stamps stamps;
  bool equal_before = false;
  for (std::size_t i = 1; i < at.size(); ++i) {
    const bool equal = at[i] == at[i - 1];
    stamps.shared += equal ? (equal_before ? 1U : 2U) : 0U;
    stamps.sorted &= at[i] >= at[i - 1];
    equal_before = equal;
  }
  return stamps;
}

}  // namespace

void Partition::absorb(std::span<const Piece> wave, std::size_t index, bool keep_rows,
                       RowMemory& memory) {
  const Shape shape = shape_of(wave, index);
  if (shape.size == 0) return;
  unit_.include(shape.unit);

  Segment segment;
  segment.size = shape.size;
  segment.base = shape.earliest;
  segment.unit = shape.unit.nanos(true);
  segment.first_row = wave.front().first_row;
  const bool narrow = shape.unit.quotient(distance(shape.earliest, shape.latest)) <=
                      std::numeric_limits<std::uint32_t>::max();
  if (narrow) {
    segment.time = memory.take<std::uint32_t>(shape.size);
  } else {
    segment.wide_time = memory.take<std::int64_t>(shape.size);
  }
  if (!shape.unit_costs) segment.cost = memory.take<Cost>(shape.size);
  segment.stamps = wave.front().stamps;
  if (segment.stamps) segment.rank = memory.take<std::uint32_t>(shape.size);
  if (keep_rows) segment.row = memory.take<std::uint32_t>(shape.size);
  const bool narrow_ids = keys_.size() + shape.size <= std::numeric_limits<std::uint16_t>::max();
  if (narrow_ids) {
    segment.id = memory.take<std::uint16_t>(shape.size);
  } else {
    segment.wide_id = memory.take<std::uint32_t>(shape.size);
  }

  if (table_.empty()) grow();
  std::size_t done = 0;
  for (const Piece& piece : wave) {
    const std::span<const RawRow> rows = piece.batch->partition(index);
    if (narrow_ids) {
      intern_rows(rows, segment.id.get() + done);
    } else {
      intern_rows(rows, segment.wide_id.get() + done);
    }
    if (narrow) {
      std::ranges::transform(rows, segment.time.get() + done, [&](const RawRow& row) {
        return static_cast<std::uint32_t>(shape.unit.quotient(distance(shape.earliest, row.at)));
      });
    } else {
      std::ranges::transform(rows, segment.wide_time.get() + done, &RawRow::at);
    }
    done += rows.size();
  }
  absorb_details(wave, index, segment);
  row_count_ += shape.size;
  row_bytes_ += segment.bytes();
  segments_.push_back(std::move(segment));
}

/// Each row waits twice, so that the memory of many slots and keys is on its way at once.
template <class Id>
void Partition::intern_rows(std::span<const RawRow> rows, Id* ids) {
  constexpr std::size_t kWait = 32;
  std::array<std::uint64_t, 4 * kWait> hashes;
  const auto hash_of = [&](std::size_t row) -> std::uint64_t& {
    return hashes[row % hashes.size()];
  };
  for (std::size_t i = 0; i < rows.size() + 2 * kWait; ++i) {
    if (i < rows.size()) {
      hash_of(i) = rows[i].key.hash();
      __builtin_prefetch(&table_[slot_of(hash_of(i))]);
    }
    if (const std::size_t row = i - kWait; row < rows.size()) {
      const Slot slot = table_[slot_of(hash_of(row))];
      if (slot != kFree) __builtin_prefetch(&keys_[slot & (table_.size() - 1)]);
    }
    if (const std::size_t row = i - 2 * kWait; row < rows.size()) {
      ids[row] = static_cast<Id>(intern(rows[row].key, hash_of(row)));
    }
  }
}

/// The columns beside key and time.
void Partition::absorb_details(std::span<const Piece> wave, std::size_t index, Segment& segment) {
  std::size_t done = 0;
  for (const Piece& piece : wave) {
    const std::span<const RowDetail> details = piece.batch->details(index);
    const auto row_offset = static_cast<std::uint32_t>(piece.first_row - segment.first_row);
    for (std::size_t i = 0; i < details.size(); ++i) {
      const RowDetail& detail = details[i];
      if (segment.cost) segment.cost.get()[done + i] = detail.cost;
      if (segment.rank) segment.rank.get()[done + i] = piece.ranks[detail.row];
      if (segment.row) segment.row.get()[done + i] = row_offset + detail.row;
      cost_total_ += detail.cost;
    }
    const std::size_t rows = piece.batch->partition(index).size();
    if (details.empty()) {
      if (segment.cost) std::fill_n(segment.cost.get() + done, rows, Cost{1});
      cost_total_ += rows;
    }
    done += rows;
  }
}

std::uint64_t Partition::Segment::bytes() const {
  std::uint64_t bytes = 0;
  for_each_column(*this, [&](const auto& column) {
    if (column) bytes += size * sizeof(column[0]);
  });
  return bytes;
}

void Partition::Segment::spill(SpillFile& file) {
  spilled_to = file.reserve(bytes());
  std::uint64_t to = *spilled_to;
  std::uint32_t bit = 1;
  for_each_column(*this, [&](auto& column) {
    if (column) {
      const std::span<const std::byte> bytes = std::as_bytes(std::span(column.get(), size));
      file.write(to, bytes);
      to += bytes.size();
      column.reset();
      spilled_columns |= bit;
    }
    bit *= 2;
  });
}

Partition::Segment Partition::Segment::loaded(const SpillFile& file) const {
  Segment copy;
  copy.base = base;
  copy.unit = unit;
  copy.first_row = first_row;
  copy.size = size;
  copy.stamps = stamps;
  std::uint64_t from = *spilled_to;
  std::uint32_t bit = 1;
  for_each_column(copy, [&]<class T>(std::shared_ptr<T[]>& kept) {
    if ((spilled_columns & bit) != 0) {
      kept = std::make_shared_for_overwrite<T[]>(size);
      const std::span<std::byte> bytes = std::as_writable_bytes(std::span(kept.get(), size));
      file.read(from, bytes);
      from += bytes.size();
    }
    bit *= 2;
  });
  return copy;
}

void Partition::spill(const std::shared_ptr<SpillFile>& file) {
  file_ = file;
  for (Segment& segment : segments_) {
    if (!segment.spilled_to) segment.spill(*file);
  }
  row_bytes_ = 0;
}

std::uint32_t Partition::add_key(const PackedKey& key, std::uint64_t hash) {
  if ((keys_.size() + 1) * 2 > table_.size()) grow();
  const auto id = static_cast<std::uint32_t>(keys_.size());
  place(id, hash);
  keys_.push_back(key);
  if (key.is_long()) {
    const std::string_view text = key.text();
    if (arena_left_ < text.size()) {
      arena_left_ = std::max(kArenaBytes, text.size());
      arena_.push_back(std::make_unique_for_overwrite<char[]>(arena_left_));
      // A new chunk is filled from its end, so that one counter tells where the free part is.
    }
    arena_left_ -= text.size();
    char* const copy = arena_.back().get() + arena_left_;
    std::memcpy(copy, text.data(), text.size());
    keys_.back() = key.moved_to(copy);
  }
  return id;
}

void Partition::place(std::uint32_t id, std::uint64_t hash) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = slot_of(hash);
  while (table_[at] != kFree) at = (at + 1) & mask;
  table_[at] = tag_of(hash) | id;
}

void Partition::grow() {
  const std::size_t slots = table_.empty() ? kFirstSlots : table_.size() * 2;
  table_.assign(slots, kFree);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  for (std::uint32_t id = 0; id < keys_.size(); ++id) place(id, keys_[id].hash());
}

void Partition::group(Order order, GroupedRows& grouped) const {
  grouped.keys = keys_;

  // Counting sort by key; stable, so each key's rows stay in file order.
  std::vector<std::uint64_t>& first = grouped.first;
  first.assign(keys_.size() + 1, 0);
  bool with_cost = false;
  bool with_rows = false;
  for_each_segment([&](const Segment& segment) {
    segment.with_ids([&](const auto* ids) {
      for (std::size_t i = 0; i < segment.size; ++i) ++first[ids[i]];
    });
    with_cost |= segment.cost != nullptr;
    with_rows |= segment.row != nullptr;
  });
  std::exclusive_scan(first.begin(), first.end(), first.begin(), std::uint64_t{0});
  grouped.at.resize(row_count_);
  grouped.cost.resize(with_cost ? row_count_ : 0);
  grouped.row.resize(with_rows ? row_count_ : 0);
  std::vector<std::int64_t> spread;
  if (!segments_.empty() && segments_.front().stamps) spread.resize(row_count_);
  const bool times_alone = !with_cost && !with_rows && spread.empty();
  for_each_segment([&](const Segment& segment) {
    segment.with_ids([&](const auto* ids) {
      segment.with_times([&](const auto& at) {
        if (times_alone) {
          for (std::size_t i = 0; i < segment.size; ++i) grouped.at[first[ids[i]]++] = at(i);
          return;
        }
        for (std::size_t i = 0; i < segment.size; ++i) {
          const std::uint64_t to = first[ids[i]]++;
          grouped.at[to] = at(i);
          if (segment.stamps) spread[to] = segment.stamps->spread(at(i), segment.rank.get()[i]);
          if (with_cost) grouped.cost[to] = segment.cost ? segment.cost.get()[i] : 1;
          if (with_rows) grouped.row[to] = segment.first_row + segment.row.get()[i];
        }
      });
    });
  });
  // Each entry now holds the end of its key, which is the start of the next.
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first.front() = 0;

  std::vector<std::uint32_t> rank;
  std::vector<std::int64_t> times;
  std::vector<Cost> costs;
  std::vector<std::uint64_t> rows;
  grouped.shared_stamps = 0;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    const auto begin = grouped.at.begin() + static_cast<std::ptrdiff_t>(first[key]);
    const auto end = grouped.at.begin() + static_cast<std::ptrdiff_t>(first[key + 1]);
    if (end - begin < 2 && spread.empty()) continue;
    Stamps stamps = look_at({begin, end});
    bool sorted = stamps.sorted;
    if (!sorted) {
      times.assign(begin, end);
      std::sort(times.begin(), times.end());
      stamps = look_at(times);
    }
    grouped.shared_stamps += stamps.shared;
    if (!spread.empty()) {
      std::copy_n(spread.begin() + static_cast<std::ptrdiff_t>(first[key]), end - begin, begin);
      sorted = std::is_sorted(begin, end);
    }
    if (sorted) continue;
    if (order == Order::kClamp) {
      std::inclusive_scan(begin, end, begin,
                          [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
      continue;
    }
    rank.resize(static_cast<std::size_t>(end - begin));
    std::iota(rank.begin(), rank.end(), 0U);
    std::stable_sort(rank.begin(), rank.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return begin[a] < begin[b]; });
    const auto reorder = [&](auto& column_of, auto& copy) {
      if (column_of.empty()) return;
      const auto from = column_of.begin() + static_cast<std::ptrdiff_t>(first[key]);
      copy.assign(from, from + static_cast<std::ptrdiff_t>(rank.size()));
      for (std::size_t i = 0; i < rank.size(); ++i) {
        from[static_cast<std::ptrdiff_t>(i)] = copy[rank[i]];
      }
    };
    reorder(grouped.at, times);
    reorder(grouped.cost, costs);
    reorder(grouped.row, rows);
  }
}

}  // namespace ratereplay
