// SPDX-License-Identifier: Apache-2.0
#include "keys/row_batch.hpp"

#include <algorithm>
#include <utility>

namespace ratereplay {

std::uint64_t PackedKey::hash_text(std::string_view text) noexcept {
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t word = 0;
  for (; left >= 8; at += 8, left -= 8) {
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word, 0x2545F4914F6CDD1DU);
  }
  word = 0;
  std::memcpy(&word, at, left);
  return mix(hash ^ word, 0xFF51AFD7ED558CCDU);
}

void RowBatch::clear() {
  for (std::size_t i = 0; i < kPartitions; ++i) cursors_[i].next = rows_of(i);
  detailed_ = keeps_rows_;
  for (std::vector<BadRow>& kept : bad_) kept.clear();
  bad_counts_.fill(0);
  bad_places_.clear();
  rows_ = others_ = before_second_ = 0;
  lines_ = filtered_ = missing_keys_ = repeated_hour_ = out_of_order_ = max_back_ = 0;
  limit_ = std::numeric_limits<std::uint32_t>::max();
  first_disorder_ = 0;
  unit_ = TimeUnit();
  unit_costs_ = true;
  has_long_keys_ = false;
  first_ = 0;
  previous_ = earliest_ = kMostTime;
  latest_ = second_end_ = kLeastTime;
  seconds_.clear();
  if (scratch_.size() > 1) scratch_.resize(1);
  if (!scratch_.empty()) scratch_.front().clear();
}

RowBatch::Times RowBatch::times() const noexcept {
  Times times{first_,        previous_, earliest_,       latest_,
              out_of_order_, max_back_, first_disorder_, unit_};
  if (requests() == 0) return times;
  // The last row is the latest of those since the one that was out of order.
  times.latest = std::max(latest_, previous_);
  times.earliest = std::min(earliest_, first_);
  return times;
}

/// The row at hand, which is counted already, is earlier than the one before it, or lies in another
/// second, or is the first.
void RowBatch::note_change(std::int64_t time) {
  if (requests() == 1) {
    first_ = time;
    unit_.include(time);
  } else if (time < previous_) {
    note_disorder(time);
  }
  if (requests() == 1 || time < second_ || time > second_end_) next_second(time);
}

void RowBatch::note_disorder(std::int64_t time) {
  if (out_of_order_++ == 0) first_disorder_ = rows_ - 1;
  latest_ = std::max(latest_, previous_);
  earliest_ = std::min(earliest_, time);
  max_back_ =
      std::max(max_back_, static_cast<std::uint64_t>(latest_) - static_cast<std::uint64_t>(time));
}

void RowBatch::next_second(std::int64_t time) {
  const std::uint32_t before = requests() - 1;
  if (before > 0) seconds_.push_back({second_, before - before_second_});
  before_second_ = before;
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t rest = time % kSecond;
  if (rest < 0) rest += kSecond;
  second_ = time < kLeastTime + rest ? kLeastTime : time - rest;
  const std::int64_t left = kSecond - 1 - rest;
  second_end_ = time > kMostTime - left ? kMostTime : time + left;
}

template <class T>
T* RowBatch::regrow(GrowingRowMemory::Array& array, std::size_t from, std::size_t to) {
  GrowingRowMemory::Array grown = memory_->take(to * sizeof(T));
  T* const begin = reinterpret_cast<T*>(grown.get());
  std::uninitialized_copy_n(reinterpret_cast<const T*>(array.get()), from, begin);
  array.swap(grown);
  memory_->give_back(std::move(grown), from * sizeof(T));
  return begin;
}

void RowBatch::grow(std::size_t partition) {
  constexpr std::size_t kFirstRows = 32;
  Cursor& cursor = cursors_[partition];
  const std::size_t rows = rows_in(partition);  // which fill it
  const std::size_t capacity = std::max(kFirstRows, 2 * rows);
  RawRow* const begin = regrow<RawRow>(storage_[partition], rows, capacity);
  cursor = {begin + rows, begin + capacity};
  if (detailed_) {
    regrow<RowDetail>(details_[partition], rows, capacity);
  } else {
    memory_->give_back(std::exchange(details_[partition], {}), rows * sizeof(RowDetail));
  }
}

void RowBatch::begin_details() {
  for (std::size_t i = 0; i < kPartitions; ++i) {
    if (!details_[i]) {
      const auto capacity = static_cast<std::size_t>(cursors_[i].end - rows_of(i));
      details_[i] = memory_->take(capacity * sizeof(RowDetail));
    }
    std::uninitialized_fill_n(details_of(i), rows_in(i), RowDetail{});
  }
  detailed_ = true;
}

char* RowBatch::scratch(std::size_t size) {
  const std::size_t needed = size + kScratchSlack;
  if (scratch_.empty() || scratch_.back().capacity() - scratch_.back().size() < needed) {
    scratch_.emplace_back().reserve(std::max(needed, kScratchBytes));
  }
  std::vector<char>& chunk = scratch_.back();
  char* const place = chunk.data() + chunk.size();
  chunk.resize(chunk.size() + needed);
  return place;
}

}  // namespace ratereplay
