// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "divisor.hpp"
#include "ratereplay/policy.hpp"
#include "ratereplay/time.hpp"
#include "report/result.hpp"

namespace ratereplay {

/// Counts lengths of time, in units of `unit`. Values below 2,048 units are kept exactly, above
/// that in 1,024 steps per power of two, so that a quantile is off by at most one part in 2,048.
/// Count, least and greatest are exact. Memory grows with the powers of two that occur: 8 KiB each.
class Histogram {
 public:
  /// Waits and units up to here, in ns, add up without overflow.
  static constexpr std::uint64_t kPlainWait = std::uint64_t{1} << 61;

  explicit Histogram(Duration unit)
      : unit_(unit.count()), by_unit_(static_cast<std::uint64_t>(unit.count())) {}

  /// value >= 0 ns; counted in whole units.
  void add(Duration value) {
    add(by_unit_.quotient(static_cast<std::uint64_t>(value.count())), value.count());
  }

  /// The waits of requests at `at` (ns, in order, not empty) for what is due later than all of
  /// them, as wait_until has it in ticks of the unit.
  void add_waits(std::span<const std::int64_t> at, Instant due) {
    const std::uint64_t until = static_cast<std::uint64_t>(due.time_since_epoch().count());
    const std::uint64_t longest = until - static_cast<std::uint64_t>(at.front());
    if (due == Instant::max() || longest > kPlainWait || by_unit_.value() > kPlainWait)
        [[unlikely]] {
      for (const std::int64_t each : at) {
        add(wait_until(Instant{Duration{each}}, due, Duration{unit_}));
      }
      return;
    }
    const auto wait = [&](std::int64_t each) {
      return by_unit_.quotient(until - static_cast<std::uint64_t>(each) + by_unit_.value() - 1);
    };
    std::uint64_t units = wait(at.front());
    for (std::size_t i = 0; i < at.size();) {
      // The waits fall, so that one row after the other is filled.
      const std::size_t row = row_of(units);
      Row& counts = row_at(row);
      const std::uint64_t least = least_of(row, 0);
      do {
        ++counts[step_of(units, row)];
        if (++i == at.size()) break;
        units = wait(at[i]);
      } while (units >= least);
    }
    count_ += at.size();
    least_ = std::min(least_, static_cast<std::int64_t>(wait(at.back())) * unit_);
    greatest_ = std::max(greatest_, static_cast<std::int64_t>(wait(at.front())) * unit_);
  }

  /// The same for requests a whole number of units after an instant; `until` is how many units
  /// after it the first lies at which they are no longer early. Within kPlainWait.
  void add_waits(std::span<const std::uint32_t> at, std::uint64_t until) {
    for (std::size_t i = 0; i < at.size();) {
      // The waits fall, so that one row after the other is filled.
      const std::size_t row = row_of(until - at[i]);
      const std::size_t shift = row == 0 ? 0 : row - 1;
      const std::uint64_t first = row == 0 ? 0 : kSteps;
      Row& counts = row_at(row);
      const std::uint64_t last = until - least_of(row, 0);
      do {
        ++counts[((until - at[i]) >> shift) - first];
      } while (++i < at.size() && at[i] <= last);
    }
    count_ += at.size();
    least_ = std::min(least_, static_cast<std::int64_t>(until - at.back()) * unit_);
    greatest_ = std::max(greatest_, static_cast<std::int64_t>(until - at.front()) * unit_);
  }

  void merge(const Histogram& other) {
    for (std::size_t row = 0; row < kRows; ++row) {
      if (!other.rows_[row]) continue;
      if (!rows_[row]) rows_[row] = std::make_unique<Row>();
      for (std::size_t step = 0; step < kSteps; ++step) {
        (*rows_[row])[step] += (*other.rows_[row])[step];
      }
    }
    count_ += other.count_;
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
  }

  [[nodiscard]] Distribution distribution() const {
    Distribution result;
    if (count_ == 0) return result;
    result.count = count_;
    result.min = Duration{least_};
    result.p50 = *quantile(50);
    result.p90 = *quantile(90);
    result.p99 = *quantile(99);
    result.max = Duration{greatest_};
    const bool exact = static_cast<std::uint64_t>(greatest_ / unit_) < 2 * kSteps;
    result.relative_error = exact ? 0 : kRelativeError;
    return result;
  }

  /// Nearest rank, the ceil(percent/100 * n)-th least, among the values and `beyond` more that are
  /// greater than any; absent when it is one of those. Needs at least one value or one beyond.
  [[nodiscard]] std::optional<Duration> quantile(std::uint64_t percent,
                                                 std::uint64_t beyond = 0) const {
    const std::uint64_t size = count_ + beyond;
    const std::uint64_t rank = size / 100 * percent + (size % 100 * percent + 99) / 100;
    if (rank > count_) return std::nullopt;
    std::uint64_t seen = 0;
    for (std::size_t row = 0; row < kRows; ++row) {
      if (!rows_[row]) continue;
      for (std::size_t step = 0; step < kSteps; ++step) {
        seen += (*rows_[row])[step];
        if (seen < rank) continue;
        const std::uint64_t least = least_of(row, step);
        const std::uint64_t width = row < 2 ? 1 : std::uint64_t{1} << (row - 1);
        const auto middle = static_cast<std::int64_t>(least + (width - 1) / 2);
        // A wait cut off at the end of time is no whole number of units.
        return Duration{middle > greatest_ / unit_ ? greatest_
                                                   : std::clamp(middle * unit_, least_, greatest_)};
      }
    }
    return Duration{greatest_};
  }

 private:
  static constexpr unsigned kStepBits = 10;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;
  static constexpr std::size_t kRows = 64 - kStepBits;
  static constexpr double kRelativeError = 0.0005;  // one part in 2,048, rounded up
  using Row = std::array<std::uint64_t, kSteps>;

  void add(std::uint64_t units, std::int64_t ns) {
    const std::size_t row = row_of(units);
    ++row_at(row)[step_of(units, row)];
    ++count_;
    least_ = std::min(least_, ns);
    greatest_ = std::max(greatest_, ns);
  }

  Row& row_at(std::size_t row) {
    if (!rows_[row]) [[unlikely]]
      rows_[row] = std::make_unique<Row>();
    return *rows_[row];
  }

  static std::size_t row_of(std::uint64_t units) noexcept {
    return units < kSteps ? 0 : static_cast<std::size_t>(std::bit_width(units)) - kStepBits;
  }
  static std::size_t step_of(std::uint64_t units, std::size_t row) noexcept {
    return row == 0 ? units : (units >> (row - 1)) - kSteps;
  }
  /// Units from which on a length belongs to the step.
  static std::uint64_t least_of(std::size_t row, std::size_t step) noexcept {
    return row == 0 ? step : (step + kSteps) << (row - 1);
  }

  std::int64_t unit_;
  Divisor by_unit_;
  std::uint64_t count_ = 0;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest_ = 0;
  std::array<std::unique_ptr<Row>, kRows> rows_;
};

}  // namespace ratereplay
