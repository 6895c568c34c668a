// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "keys/row_batch.hpp"
#include "ratereplay/time.hpp"
#include "trace/digits.hpp"
#include "trace/plan.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay {

/// The short way from cells to a row for the most common plan: the time a whole number, at most one
/// key taken as it stands, at most one cost. It takes a row only when it makes of it exactly what
/// RowBuilder would; whatever is unusual is left to RowBuilder.
class DirectRow {
 public:
  static constexpr std::size_t kAbsent = ~std::size_t{0};

  /// Nothing when the plan is not of that kind.
  static std::optional<DirectRow> of(const ReadPlan& plan) {
    if (!plan.time_format.number() || plan.time_format.unit.count() <= 0) return std::nullopt;
    if (plan.duration) return std::nullopt;
    if (plan.time.size() != 1 || plan.key.size() > 1 || plan.cost.size() > 1) return std::nullopt;
    if (!plan.key.empty() && !plan.key[0].shape.raw()) return std::nullopt;
    if (plan.filter.any() || plan.may_end_early) return std::nullopt;
    DirectRow row;
    row.time_ = plan.time[0];
    if (!plan.key.empty()) row.key_ = plan.key[0].wanted;
    if (!plan.cost.empty()) row.cost_ = plan.cost[0];
    row.unit_ = static_cast<std::uint64_t>(plan.time_format.unit.count());
    row.known_ = TimeUnit::dividing(plan.time_format.unit.count());
    row.most_ = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / row.unit_;
    return row;
  }

  /// Indexes into ReadPlan::wanted.
  [[nodiscard]] std::size_t time() const noexcept { return time_; }
  [[nodiscard]] std::size_t key() const noexcept { return key_; }
  [[nodiscard]] std::size_t cost() const noexcept { return cost_; }

  /// False when nothing was done. The texts lie in a block: 16 bytes before and after them may be
  /// read. `key` and `cost` are ignored where the plan has none.
  bool add(std::string_view time, std::string_view key, std::string_view cost, RowBatch& batch) {
    std::uint64_t units = 0;
    std::uint64_t at = 0;
    if (!read_time(time, at)) return false;
    if (key_ == kAbsent) {
      key = RowBuilder::one_key();
    } else if (key.size() <= 1 && (key.empty() || key.front() == '-')) {
      return false;
    }
    if (cost_ == kAbsent) {
      units = 1;
    } else if (cost.size() == 1 && is_digit(cost.front())) {
      units = static_cast<std::uint64_t>(cost.front() - '0');
    } else if (cost.size() - 1 >= 8 || !read_word(last_eight(cost), cost.size(), units)) {
      return false;
    }
    batch.add(Instant(Duration(static_cast<std::int64_t>(at * unit_))), key,
              static_cast<Cost>(units), known_);
    return true;
  }

 private:
  static_assert(std::endian::native == std::endian::little);

  /// The bytes before `end`, the last in the highest byte.
  static std::uint64_t eight_before(const char* end) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, end - 8, 8);
    return word;
  }
  static std::uint64_t last_eight(std::string_view text) noexcept {
    return eight_before(text.data() + text.size());
  }

  /// The number in the highest `digits` bytes of `word` (1 to 8); false when they are no digits.
  static bool read_word(std::uint64_t word, std::size_t digits, std::uint64_t& value) noexcept {
    const std::uint64_t values = (word ^ kEightZeros) >> (64 - 8 * digits) << (64 - 8 * digits);
    if (not_digits(values) != 0) return false;
    value = eight_digits(values);
    return true;
  }

  bool read_time(std::string_view text, std::uint64_t& value) noexcept {
    const char* const end = text.data() + text.size();
    if (text.size() - 1 < 8)
      return read_word(eight_before(end), text.size(), value) && value <= most_;
    if (text.size() - 1 >= 16) return false;
    // The leading digits hardly ever change from one row to the next.
    const std::size_t leading = text.size() - 8;
    const std::uint64_t head = eight_before(end - 8) >> (64 - 8 * leading);
    if (head != head_ || leading != head_digits_) {
      if (!read_word(eight_before(end - 8), leading, head_value_)) {
        head_digits_ = 0;
        return false;
      }
      head_ = head;
      head_digits_ = leading;
    }
    std::uint64_t tail = 0;
    if (!read_word(eight_before(end), 8, tail)) return false;
    value = head_value_ * 100'000'000 + tail;
    return value <= most_;
  }

  std::size_t time_ = 0;
  std::size_t key_ = kAbsent;
  std::size_t cost_ = kAbsent;
  std::uint64_t unit_ = 1;
  TimeUnit known_;  // that every time is a multiple of
  std::uint64_t most_ = 0;
  std::uint64_t head_ = 0;  // the digits before the last eight of the last time, and their number
  std::size_t head_digits_ = 0;
  std::uint64_t head_value_ = 0;
};

}  // namespace ratereplay
