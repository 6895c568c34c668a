// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "generate/exponential.hpp"
#include "generate/generator.hpp"
#include "generate/random.hpp"
#include "interrupt.hpp"
#include "ratereplay/arithmetic.hpp"

/// When the requests of a model arrive: `next(random)` is the following arrival in ns from the
/// start of the trace, nullopt after the last representable one.
namespace ratereplay {

/// At every step of `on`, and at none of `off`, one draw decides whether a request arrives.
class LatticeArrivals {
 public:
  /// At most one request a step; on a multiple of step.
  explicit LatticeArrivals(const Recipe& recipe)
      : step_(recipe.step.count()),
        on_(recipe.on.count()),
        off_(recipe.off.count()),
        threshold_(static_cast<std::uint64_t>(
            ceil_div((Wide{recipe.rate.count} * step_) << 32U, recipe.rate.window.count()))) {}

  std::optional<std::int64_t> next(Random& random) {
    for (;;) {
      if (off_ > 0 && in_phase_ >= on_) {
        if (!advance(off_)) return std::nullopt;
        in_phase_ = 0;
      }
      const std::int64_t at = at_;
      const bool arrives = random.next() < threshold_;
      in_phase_ += off_ > 0 ? step_ : 0;
      // A request at the last representable instant is left out: nothing could follow it.
      if (!advance(step_)) return std::nullopt;
      if (arrives) return at;
      if ((++misses_ & 0xfffffU) == 0) stop_if_interrupted();
    }
  }

 private:
  bool advance(std::int64_t by) noexcept {
    if (at_ > kInt64Max - by) return false;
    at_ += by;
    return true;
  }

  std::int64_t step_;
  std::int64_t on_;
  std::int64_t off_;
  std::uint64_t threshold_;  ///< arrives if word < threshold, that is, word / 2^32 < probability
  std::int64_t at_ = 0;
  std::int64_t in_phase_ = 0;
  std::uint32_t misses_ = 0;
};

/// Independent arrivals at a mean rate. With on and off, only in phases whose lengths are
/// exponential with those means; the trace starts in one.
class PoissonArrivals {
 public:
  explicit PoissonArrivals(const Recipe& recipe)
      : gaps_(recipe.rate.window, recipe.rate.count),
        on_(recipe.on, 1),
        off_(recipe.off, 1),
        phased_(recipe.off > Duration{0}),
        step_(recipe.step.count()) {}

  std::optional<std::int64_t> next(Random& random) {
    if (phased_ && !started_) left_ = on_.next(random).count();
    started_ = true;
    std::int64_t gap = gaps_.next(random).count();
    while (phased_ && gap >= left_) {
      gap -= left_;
      at_ = saturating_add(at_, saturating_add(left_, off_.next(random).count()));
      left_ = on_.next(random).count();
      if (at_ == kInt64Max) return std::nullopt;
      if ((++phases_ & 0xfffffU) == 0) stop_if_interrupted();
    }
    left_ -= phased_ ? gap : 0;
    at_ = saturating_add(at_, gap);
    if (at_ == kInt64Max) return std::nullopt;
    return at_ - at_ % step_;
  }

 private:
  ExponentialGaps gaps_;
  ExponentialGaps on_;
  ExponentialGaps off_;
  bool phased_;
  bool started_ = false;
  std::int64_t step_;
  std::int64_t left_ = 0;  ///< what is left of the phase
  std::int64_t at_ = 0;
  std::uint32_t phases_ = 0;
};

/// Volleys on both sides of every second edge of a grid of windows. Each window gets what the rate
/// gives it, `rate * window`, all of it at one end, so that the windows' ends meet in pairs: a
/// limit that counts per window sees nothing, while twice as much arrives within 2 * spread.
class BoundaryArrivals {
 public:
  explicit BoundaryArrivals(const Recipe& recipe)
      : window_(recipe.window.count()),
        step_(recipe.step.count()),
        steps_(recipe.spread / recipe.step),
        offsets_(volley(recipe)) {}

  /// Requests in one volley, at least one.
  static std::size_t volley(const Recipe& recipe) {
    const Wide size =
        floor_div(Wide{recipe.rate.count} * recipe.window.count(), recipe.rate.window.count());
    return static_cast<std::size_t>(std::max<std::int64_t>(saturate(size), 1));
  }

  std::optional<std::int64_t> next(Random& random) {
    if (at_ == offsets_.size() || !started_) {
      after_ = started_ && !after_;
      if (!after_ && !advance()) return std::nullopt;
      started_ = true;
      at_ = 0;
      for (std::int64_t& offset : offsets_) {
        offset = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(steps_)));
      }
      std::ranges::sort(offsets_);
    }
    const std::int64_t steps = offsets_[at_++] - (after_ ? 0 : steps_);
    return saturating_add(edge_ + std::min<std::int64_t>(steps, 0) * step_,
                          std::max<std::int64_t>(steps, 0) * step_);
  }

 private:
  /// To the next odd multiple of the window.
  bool advance() noexcept {
    const Wide edge = Wide{edge_} + Wide{window_} * (edge_ == 0 ? 1 : 2);
    if (edge >= kInt64Max) return false;
    edge_ = static_cast<std::int64_t>(edge);
    return true;
  }

  std::int64_t window_;
  std::int64_t step_;
  std::int64_t steps_;  ///< of the spread
  std::vector<std::int64_t> offsets_;
  std::size_t at_ = 0;
  std::int64_t edge_ = 0;
  bool after_ = false;
  bool started_ = false;
};

}  // namespace ratereplay
