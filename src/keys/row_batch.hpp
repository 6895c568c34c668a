// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "keys/key.hpp"
#include "keys/row_memory.hpp"
#include "keys/time_unit.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/time.hpp"
#include "trace/bad_row.hpp"

namespace ratereplay {

/// One request on its way from a reader to the key store: 24 bytes.
struct RawRow {
  PackedKey key;
  std::int64_t at;
};

/// What else there is to know of a request, where it is known.
struct RowDetail {
  Cost cost = 1;
  std::uint32_t row = 0;  ///< 0-based number of the row within its block
};

/// Text that a reader is given in place of the block's own, such as lines without a prefix.
class RewrittenText {
 public:
  virtual ~RewrittenText() = default;
  /// Moves a place in it to where it stands in the block. False when a row that is bad in this way
  /// was no request.
  [[nodiscard]] virtual bool find_in_block(BadKind kind, std::uint64_t& line,
                                           std::uint64_t& column) const = 0;
};

/// What one block of a trace turned into: its requests, sorted into partitions by key hash, and the
/// count of everything else. Readers call exactly one of add, add_bad and add_filtered for every
/// row, in the order of the file; nothing here depends on threads or on other blocks.
class RowBatch {
 public:
  static constexpr std::size_t kPartitionBits = 8;
  static constexpr std::size_t kPartitions = std::size_t{1} << kPartitionBits;
  static constexpr std::size_t kKeptBadRows = 3;

  /// Without `keep_rows`, the details need not hold the numbers of rows. Several batches may share
  /// the memory of their rows.
  explicit RowBatch(bool keep_rows = true,
                    std::shared_ptr<GrowingRowMemory> memory = std::make_shared<GrowingRowMemory>())
      : memory_(std::move(memory)), keeps_rows_(keep_rows), detailed_(keep_rows) {}

  /// Makes it empty; memory is kept. Row and line numbers start again.
  void clear();

  /// A request. The bytes of `key` must stay where they are until the batch is cleared, and may be
  /// read (not used) for 16 bytes past their end. `at` is known to be a multiple of `known`.
  void add(Instant at, std::string_view key, Cost cost, TimeUnit known = TimeUnit::nanosecond()) {
    const std::int64_t time = at.time_since_epoch().count();
    std::uint64_t hash = 0;
    const PackedKey packed = PackedKey::hashed(key, hash);
    if (key.size() > PackedKey::kInlineBytes) [[unlikely]]
      has_long_keys_ = true;
    const std::size_t partition = hash >> (64 - kPartitionBits);
    Cursor& cursor = cursors_[partition];
    if (cursor.next == cursor.end) [[unlikely]]
      grow(partition);
    if (detailed_ || cost != 1) add_detail(partition, {cost, rows_});
    ::new (static_cast<void*>(cursor.next)) RawRow{packed, time};
    ++cursor.next;
    ++rows_;
    // So many write streams do not fit the first-level cache.
    __builtin_prefetch(cursor.next + kPrefetchRows, 1);
    if (unit_.coarser_than(known) && time != previous_) unit_.include(time);
    if (time < previous_ || time > second_end_) [[unlikely]]
      note_change(time);
    previous_ = time;
  }

  /// The next request counts among those whose key, or a part of it, is missing.
  void note_missing_key() { ++missing_keys_; }

  /// So many stamps lie in an hour that the clock of their zone showed twice.
  void note_repeated_hour(std::uint64_t stamps) { repeated_hour_ += stamps; }

  /// Until clear(), rows after so many are not counted, and need not be added: they are ignored by
  /// add_bad and add_filtered, and whoever calls add asks full().
  void limit_rows(std::uint32_t limit) { limit_ = limit; }
  [[nodiscard]] bool full() const noexcept { return rows_ >= limit_; }

  /// A row that could not be read; `line` is 1-based within the block. `reason` is a callable that
  /// returns the text, and is called only for the places that are kept.
  template <class Reason>
  void add_bad(BadKind kind, std::uint64_t line, std::uint64_t column, Reason&& reason) {
    if (full()) return;
    if (rewritten_ != nullptr && !rewritten_->find_in_block(kind, line, column)) {
      add_filtered();
      return;
    }
    ++rows_;
    ++others_;
    std::vector<BadRow>& kept = bad_[static_cast<std::size_t>(kind)];
    ++bad_counts_[static_cast<std::size_t>(kind)];
    if (kept.size() < kKeptBadRows) kept.push_back({kind, line, column, reason()});
    if (keeps_bad_places_) bad_places_.push_back({rows_ - 1, line});
  }

  /// From here on bad_places() holds every bad row.
  void keep_bad_places() noexcept { keeps_bad_places_ = true; }

  /// A row that was read and left out.
  void add_filtered() {
    if (full()) return;
    ++rows_;
    ++others_;
    ++filtered_;
  }

  /// The places of bad rows are those of `text` from now on; null = of the block.
  void set_rewritten(const RewrittenText* text) { rewritten_ = text; }

  /// The number of line feeds in the block, so that the next block's lines can be numbered.
  void set_lines(std::uint64_t lines) { lines_ = lines; }

  /// A place for `size` bytes of a composed or unescaped text that lives until clear(), with the
  /// slack that add asks for.
  [[nodiscard]] char* scratch(std::size_t size);

  [[nodiscard]] std::uint32_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t filtered() const noexcept { return filtered_; }
  [[nodiscard]] std::uint64_t missing_keys() const noexcept { return missing_keys_; }
  [[nodiscard]] std::uint64_t repeated_hour() const noexcept { return repeated_hour_; }
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
  [[nodiscard]] std::uint64_t bad(BadKind kind) const noexcept {
    return bad_counts_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const std::vector<BadRow>& first_bad(BadKind kind) const noexcept {
    return bad_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::span<const BadRowPlace> bad_places() const noexcept { return bad_places_; }
  [[nodiscard]] std::span<const RawRow> partition(std::size_t index) const noexcept {
    return {rows_of(index), cursors_[index].next};
  }
  /// Of the same rows; empty when each request of the batch costs 1 and row numbers are not kept.
  [[nodiscard]] std::span<const RowDetail> details(std::size_t index) const noexcept {
    return {details_of(index), detailed_ ? rows_in(index) : 0};
  }

  /// How its requests lie in time; what all but `out_of_order` say holds if there are any.
  struct Times {
    std::int64_t first = 0;  ///< of the first request
    std::int64_t last = 0;   ///< of the last request
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    std::uint64_t out_of_order = 0;    ///< requests earlier than the one before them
    std::uint64_t max_back = 0;        ///< ns that one is behind the latest before it, at most
    std::uint32_t first_disorder = 0;  ///< number of the first such row in the block
    TimeUnit unit;                     ///< that every instant is a multiple of
  };
  [[nodiscard]] Times times() const noexcept;
  /// Whether the bytes of some key are still where its text was.
  [[nodiscard]] bool has_long_keys() const noexcept { return has_long_keys_; }
  /// Whether each request costs 1.
  [[nodiscard]] bool unit_costs() const noexcept { return unit_costs_; }

  /// Requests in a second of the trace's clock; a second may occur several times.
  struct SecondCount {
    std::int64_t second;  ///< its start in ns
    std::uint64_t requests;
  };
  /// Calls take(SecondCount) for all of them.
  template <class Take>
  void for_each_second(const Take& take) const {
    for (const SecondCount& count : seconds_) take(count);
    if (requests() > before_second_) take(SecondCount{second_, requests() - before_second_});
  }

 private:
  static constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  static constexpr std::size_t kScratchBytes = std::size_t{1} << 20;
  static constexpr std::size_t kScratchSlack = 16;

  [[nodiscard]] std::uint32_t requests() const noexcept { return rows_ - others_; }
  void note_change(std::int64_t time);
  void note_disorder(std::int64_t time);
  void next_second(std::int64_t time);
  static constexpr std::size_t kPrefetchRows = 4;
  static constexpr std::size_t kPrefetchDetails = 12;

  /// Where the next row goes, and where it must not.
  struct Cursor {
    RawRow* next = nullptr;
    RawRow* end = nullptr;
  };
  [[nodiscard]] RawRow* rows_of(std::size_t partition) const noexcept {
    return reinterpret_cast<RawRow*>(storage_[partition].get());
  }
  [[nodiscard]] std::size_t rows_in(std::size_t partition) const noexcept {
    return static_cast<std::size_t>(cursors_[partition].next - rows_of(partition));
  }
  [[nodiscard]] RowDetail* details_of(std::size_t partition) const noexcept {
    return reinterpret_cast<RowDetail*>(details_[partition].get());
  }
  void grow(std::size_t partition);
  /// Of the row that comes next.
  void add_detail(std::size_t partition, RowDetail detail) {
    if (!detailed_) [[unlikely]]
      begin_details();
    unit_costs_ &= detail.cost == 1;
    RowDetail* const place = details_of(partition) + rows_in(partition);
    ::new (static_cast<void*>(place)) RowDetail(detail);
    __builtin_prefetch(place + kPrefetchDetails, 1);
  }
  void begin_details();
  /// Puts an array with room for `to` elements in the place of one that is full with `from`.
  template <class T>
  T* regrow(GrowingRowMemory::Array& array, std::size_t from, std::size_t to);

  std::array<Cursor, kPartitions> cursors_;
  std::shared_ptr<GrowingRowMemory> memory_;
  std::array<GrowingRowMemory::Array, kPartitions> storage_;
  std::array<GrowingRowMemory::Array, kPartitions> details_;  // with room for as many
  bool keeps_rows_;
  bool detailed_;
  std::uint32_t rows_ = 0;
  std::uint32_t others_ = 0;  // of them, those that are no requests
  std::uint64_t lines_ = 0;
  std::uint64_t filtered_ = 0;
  std::uint64_t missing_keys_ = 0;
  std::uint64_t repeated_hour_ = 0;
  std::uint32_t limit_ = std::numeric_limits<std::uint32_t>::max();
  const RewrittenText* rewritten_ = nullptr;
  std::array<std::uint64_t, kBadKindNames.size()> bad_counts_{};
  std::array<std::vector<BadRow>, kBadKindNames.size()> bad_;
  bool keeps_bad_places_ = false;
  std::vector<BadRowPlace> bad_places_;
  static constexpr std::int64_t kLeastTime = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMostTime = std::numeric_limits<std::int64_t>::max();
  std::int64_t first_ = 0;
  std::int64_t previous_ = kMostTime;  // so that the first row is a change, as second_end_
  std::int64_t latest_ = kLeastTime;  // and earliest_: of the rows before the last one out of order
  std::int64_t earliest_ = kMostTime;
  std::uint64_t out_of_order_ = 0;
  std::uint64_t max_back_ = 0;
  std::uint32_t first_disorder_ = 0;
  TimeUnit unit_;
  bool unit_costs_ = true;
  bool has_long_keys_ = false;
  std::int64_t second_ = 0;  // start of the second at hand, which the clock's ends may cut off
  std::int64_t second_end_ = kLeastTime;  // its last nanosecond
  std::uint32_t before_second_ = 0;       // requests before it
  std::vector<SecondCount> seconds_;
  std::vector<std::vector<char>> scratch_;
};

}  // namespace ratereplay
