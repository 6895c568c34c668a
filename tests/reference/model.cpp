// SPDX-License-Identifier: Apache-2.0
#include "reference/model.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace reference {
namespace {

using namespace ratereplay;

constexpr Int kEndOfTime = std::numeric_limits<std::int64_t>::max();

// Schoolbook rounding, by the sign of the remainder.
Int floor_of(Int a, Int b) {
  Int q = a / b;
  while (q * b > a) --q;
  return q;
}
Int ceil_of(Int a, Int b) { return -floor_of(-a, b); }

Instant instant(Int t) {
  return Instant{Duration{static_cast<std::int64_t>(std::min(t, kEndOfTime))}};
}

}  // namespace

Model::Model(std::string_view policy, Limit limit, const Options& options, Search search)
    : policy_(policy),
      limit_(limit.count),
      window_(limit.window.count()),
      capacity_(options.capacity.value_or(limit.count)),
      clock_(options.clock.value_or(Duration{1}).count()),
      options_(options),
      search_(search),
      rule_(rule()),
      latest_(std::numeric_limits<std::int64_t>::min()) {}

Int Model::seen(Int now) const { return clock_ * floor_of(now, clock_); }

bool Model::fixed_window(Int t, Int n) const {
  Int count = 0;
  if (options_.anchor == Anchor::kFirst) {
    const Int length = options_.boundary == Boundary::kClosed ? window_ + 1 : window_;
    bool open = false;
    Int start = 0;
    for (const Charged& c : history_) {
      if (!open || c.at >= start + length) start = c.at, count = 0, open = true;
      count += c.cost;
    }
    if (!open || t >= start + length) count = 0;
  } else {
    for (const Charged& c : history_)
      if (floor_of(c.at, window_) == floor_of(t, window_)) count += c.cost;
  }
  return count + n <= limit_;
}

bool Model::sliding_log(Int t, Int n) const {
  Int live = 0;
  for (const Charged& c : history_) {
    const bool in =
        options_.boundary == Boundary::kClosed ? c.at >= t - window_ : c.at > t - window_;
    if (in) live += c.cost;
  }
  return live + n <= limit_;
}

bool Model::sliding_counter(Int t, Int n) const {
  // Counts of the window that holds `at` and the one before, on the grid through `origin`, of the
  // charges from `from` on.
  const auto counts = [&](Int at, Int origin, std::size_t from, std::size_t to) {
    const Int k = floor_of(at - origin, window_);
    std::pair<Int, Int> sums{0, 0};
    for (std::size_t i = from; i < to; ++i) {
      const Int window = floor_of(history_[i].at - origin, window_);
      if (window == k) sums.first += history_[i].cost;
      if (window == k - 1) sums.second += history_[i].cost;
    }
    return sums;
  };
  Int origin = 0;
  std::size_t from = 0;
  if (options_.anchor == Anchor::kFirst) {
    for (std::size_t i = 0; i <= history_.size(); ++i) {
      const Int at = i < history_.size() ? history_[i].at : t;
      const auto [c, p] = counts(at, origin, from, i);
      if (c == 0 && p == 0) origin = at, from = i;
    }
  }
  const auto [c, p] = counts(t, origin, from, history_.size());
  const Int e = t - origin - window_ * floor_of(t - origin, window_);
  const Int past = p * (window_ - e);
  switch (options_.round.value_or(Round::kFloor)) {
    case Round::kFloor:
      return floor_of(past, window_) + c + n <= limit_;
    case Round::kExact:
      return past + (c + n) * window_ <= limit_ * window_;
    case Round::kNearest:
      return floor_of(2 * past + window_, 2 * window_) + c + n <= limit_;
    case Round::kCeil:
      return ceil_of(past, window_) + c + n <= limit_;
  }
  return false;
}

// The theoretical arrival time, in 1/L ns.
bool Model::gcra(Int t, Int n) const {
  Int tat = 0;
  bool any = false;
  for (const Charged& c : history_) {
    const Int base = any ? std::max(tat, c.at * limit_) : c.at * limit_;
    tat = base + c.cost * window_;
    any = true;
  }
  const Int base = any ? std::max(tat, t * limit_) : t * limit_;
  return base + n * window_ - t * limit_ <= capacity_ * window_;
}

// A bucket that fills, in 1/W tokens: L a ns.
bool Model::tokens(Int t, Int n) const {
  const Int full = capacity_ * window_;
  Int held = full;
  Int since = t;
  for (const Charged& c : history_) {
    if (&c != &history_.front()) held = std::min(full, held + (c.at - since) * limit_);
    held -= c.cost * window_;
    since = c.at;
  }
  held = std::min(full, held + (t - since) * limit_);
  return n * window_ <= held;
}

// A bucket that gets L tokens at every whole window after its first request.
bool Model::stepped_tokens(Int t, Int n) const {
  if (history_.empty()) return n <= capacity_;
  const Int start = history_.front().at;
  Int held = capacity_;
  Int step = 0;
  const auto advance = [&](Int at) {
    while (start + (step + 1) * window_ <= at) {
      held = std::min(capacity_, held + limit_);
      ++step;
      if (held == capacity_) step = floor_of(at - start, window_);
    }
  };
  for (const Charged& c : history_) {
    advance(c.at);
    held -= c.cost;
  }
  advance(t);
  return n <= held;
}

// What is in the queue, in 1/W units: L of them leave in a ns.
Int Model::level(Int t) const {
  Int held = 0;
  Int since = history_.empty() ? t : history_.front().at;
  for (const Charged& c : history_) {
    held = std::max(Int{0}, held - (c.at - since) * limit_) + c.cost * window_;
    since = c.at;
  }
  return std::max(Int{0}, held - (t - since) * limit_);
}

bool Model::queue(Int t, Int n) const { return level(t) + n * window_ <= capacity_ * window_; }

Int Model::queued() const {
  if (options_.mode == Mode::kMeter) return 0;
  return std::max(Int{0}, ceil_of(level(seen(latest_)), window_) - 1);
}

Model::Rule Model::rule() const {
  if (policy_ == "fixed-window") return &Model::fixed_window;
  if (policy_ == "sliding-log") return &Model::sliding_log;
  if (policy_ == "sliding-counter") return &Model::sliding_counter;
  if (policy_ == "gcra") return &Model::gcra;
  if (policy_ == "leaky-bucket") return &Model::queue;
  if (policy_ == "token-bucket")
    return options_.refill == Refill::kInterval ? &Model::stepped_tokens : &Model::tokens;
  throw std::logic_error("no reference for " + policy_);
}

bool Model::admits(Int now, Int cost) const {
  if (cost == 0) return true;
  return cost <= capacity_ && (this->*rule_)(seen(now), cost);
}

Int Model::first_admitting(Int now, Int cost, Int step) const {
  if (search_ == Search::kEveryInstant) {
    Int t = now;
    while (!admits(t, cost)) t += step;
    // Once admissible, admissible for good.
    const Int horizon = t == now ? t : t + 2 * window_ + clock_;
    for (Int later = t; later < horizon; ++later)
      if (!admits(later, cost)) throw std::logic_error(policy_ + " is not monotone");
    return t;
  }
  if (admits(now, cost)) return now;
  Int refused = 0;
  Int admitted = 1;
  while (!admits(now + admitted * step, cost)) {
    refused = admitted;
    admitted *= 2;
  }
  while (admitted - refused > 1) {
    const Int middle = refused + (admitted - refused) / 2;
    (admits(now + middle * step, cost) ? admitted : refused) = middle;
  }
  return now + admitted * step;
}

Int Model::most_admitted(Int now) const {
  if (search_ == Search::kEveryInstant) {
    Int n = 0;
    while (admits(now, n + 1)) ++n;
    return n;
  }
  Int fits = 0;
  Int too_many = capacity_ + 1;
  while (too_many - fits > 1) {
    const Int middle = fits + (too_many - fits) / 2;
    (admits(now, middle) ? fits : too_many) = middle;
  }
  return fits;
}

Decision Model::admit(Instant at, Cost cost, Duration tick) {
  const Int now = latest_ = std::max<Int>(latest_, at.time_since_epoch().count());
  Decision decision;
  const bool admitted = admits(now, cost);
  if (admitted && cost != 0 && policy_ == "leaky-bucket" && options_.mode != Mode::kMeter)
    decision.delay = Duration{static_cast<std::int64_t>(ceil_of(level(seen(now)), limit_))};
  const bool attempted = options_.charge == Charge::kAttempted;
  if (cost != 0 && (admitted || attempted)) history_.push_back({seen(now), cost});

  if (cost > capacity_) {
    decision.outcome = Outcome::kNever;
    decision.retry_after.reset();
  } else if (!admitted) {
    decision.outcome = Outcome::kRefused;
    const Int wait = first_admitting(now, cost, tick.count()) - now;
    decision.retry_after = Duration{static_cast<std::int64_t>(wait)};
  }
  const Int remaining = most_admitted(now);
  decision.remaining = static_cast<std::int64_t>(remaining);
  if (remaining < capacity_) decision.reset_at = instant(first_admitting(now, remaining + 1, 1));
  decision.full_at = instant(first_admitting(now, capacity_, 1));
  return decision;
}

}  // namespace reference
