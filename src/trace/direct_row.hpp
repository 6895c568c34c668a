// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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
  bool add(std::string_view time, std::string_view key, std::string_view cost,
           RowBatch& batch) const {
    std::uint64_t at = 0;
    if (time.size() - 1 >= kMostDigits || !read_digits_before(time.end(), time.size(), at) ||
        at > most_) {
      return false;
    }
    if (key_ == kAbsent) {
      key = RowBuilder::one_key();
    } else if (key.size() <= 1 && (key.empty() || key.front() == '-')) {
      return false;
    }
    std::uint64_t units = 1;
    const bool one = cost_ == kAbsent || (cost.size() == 1 && cost.front() == '1');
    if (!one && (cost.size() - 1 >= kMostCostDigits ||
                 !read_digits_before(cost.end(), cost.size(), units))) {
      return false;
    }
    batch.add(Instant(Duration(static_cast<std::int64_t>(at * unit_))), key,
              static_cast<Cost>(units), known_);
    return true;
  }

 private:
  static constexpr std::size_t kMostDigits = 16;
  static constexpr std::size_t kMostCostDigits = 8;

  std::size_t time_ = 0;
  std::size_t key_ = kAbsent;
  std::size_t cost_ = kAbsent;
  std::uint64_t unit_ = 1;
  TimeUnit known_;  // that every time is a multiple of
  std::uint64_t most_ = 0;
};

}  // namespace ratereplay
