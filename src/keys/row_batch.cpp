// SPDX-License-Identifier: Apache-2.0
#include "keys/row_batch.hpp"

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
  for (Cursor& cursor : cursors_) cursor.next = cursor.begin;
  for (std::vector<BadRow>& kept : bad_) kept.clear();
  bad_counts_.fill(0);
  bad_places_.clear();
  rows_ = 0;
  lines_ = filtered_ = missing_keys_ = repeated_hour_ = out_of_order_ = max_back_ = 0;
  limit_ = std::numeric_limits<std::uint32_t>::max();
  first_disorder_ = 0;
  unit_ = TimeUnit();
  unit_costs_ = true;
  first_ = 0;
  previous_ = latest_ = second_ = kNoTime;
  second_length_ = in_second_ = 0;
  seconds_.clear();
  earliest_ = std::numeric_limits<std::int64_t>::max();
  if (scratch_.size() > 1) scratch_.resize(1);
  if (!scratch_.empty()) scratch_.front().clear();
}

RowBatch::Times RowBatch::times() const noexcept {
  Times times{first_,        previous_, earliest_,       latest_,
              out_of_order_, max_back_, first_disorder_, unit_};
  if (in_second_ == 0) return times;
  // The last row is the latest of those since the one that was out of order.
  times.latest = std::max(latest_, previous_);
  times.earliest = std::min(earliest_, first_);
  return times;
}

void RowBatch::note_disorder(std::int64_t time) {
  if (out_of_order_++ == 0) first_disorder_ = rows_ - 1;
  latest_ = std::max(latest_, previous_);
  earliest_ = std::min(earliest_, time);
  max_back_ =
      std::max(max_back_, static_cast<std::uint64_t>(latest_) - static_cast<std::uint64_t>(time));
}

void RowBatch::next_second(std::int64_t time) {
  if (in_second_ > 0) {
    seconds_.push_back({second_, in_second_});
  } else {
    first_ = time;
  }
  in_second_ = 0;
  constexpr auto kSecond = static_cast<std::int64_t>(kNsPerSecond);
  std::int64_t rest = time % kSecond;
  if (rest < 0) rest += kSecond;
  // The second in which the clock begins is cut off at its start.
  second_ = time < kNoTime + rest ? kNoTime : time - rest;
  second_length_ = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(second_) +
                   static_cast<std::uint64_t>(kSecond - rest);
}

void RowBatch::grow(Cursor& cursor) {
  constexpr std::size_t kFirstRows = 32;
  const auto rows = static_cast<std::size_t>(cursor.next - cursor.begin);
  const std::size_t capacity = std::max(kFirstRows, 2 * rows);
  auto storage = std::make_unique_for_overwrite<std::byte[]>(capacity * sizeof(RawRow));
  auto* const begin = reinterpret_cast<RawRow*>(storage.get());
  std::uninitialized_copy(cursor.begin, cursor.next, begin);
  cursor = {begin, begin + rows, begin + capacity};
  storage_[static_cast<std::size_t>(&cursor - cursors_.data())] = std::move(storage);
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
