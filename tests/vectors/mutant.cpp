// SPDX-License-Identifier: Apache-2.0
#include "vectors/mutant.hpp"

#include <algorithm>

#include "spec/option_text.hpp"

namespace ratereplay::test {
namespace {

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

Wide ceil_of(Wide a, Wide b) { return -floor_of(-a, b); }

std::string folded(const std::string& key) {
  std::string text;
  for (const char c : key) {
    if (c != ' ') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

bool is_stepped(const AnyPolicy& policy) { return options_of(policy).refill == Refill::kInterval; }

bool is_bucket(const AnyPolicy& policy) { return options_of(policy).capacity.has_value(); }

}  // namespace

bool Mutant::matters(Mutation mutation, const AnyPolicy& policy, Unit unit) {
  const Options& options = options_of(policy);
  const Limit& limit = limit_of(policy);
  switch (mutation) {
    case Mutation::kUncapped:
      return is_bucket(policy);
    case Mutation::kRoundsDown:
      // The interval in whole units.
      if (is_bucket(policy) && !is_stepped(policy)) {
        return limit.window.count() % (limit.count * unit.nanos) != 0;
      }
      // Negative windows, and a grid through 0.
      return !(std::holds_alternative<FixedWindow>(policy) && options.anchor == Anchor::kFirst);
    case Mutation::kTakesPart:
      // A window whose attempts are charged is shut for its rest either way.
      return !(std::holds_alternative<FixedWindow>(policy) && options.charge == Charge::kAttempted);
    default:
      return true;
  }
}

void Mutant::open(const PolicySpec& spec, Unit unit) {
  algorithm_ = policy_name(spec.policy);
  unit_ = unit;
  options_ = options_of(spec.policy);
  limit_ = limit_of(spec.policy).count;
  window_ = limit_of(spec.policy).window.count();
  capacity_ = capacity_of(spec.policy);
  if (is(Mutation::kOneMore)) {
    ++capacity_;
    if (!options_.capacity) ++limit_;
  }
  keys_.clear();
}

Answer Mutant::decide(const Request& request) {
  Key& key = keys_[is(Mutation::kFoldsKeys) ? folded(request.key) : request.key];
  Wide now = Wide{request.at} * unit_.nanos;
  if (key.asked && !is(Mutation::kTimeRunsBack)) now = std::max(now, key.latest);
  key.latest = now;
  key.asked = true;
  Wide n = request.cost;
  if (n == 0 && !is(Mutation::kProbeCosts)) return {.admitted = true};
  n = std::max<Wide>(n, 1);
  if (is(Mutation::kAdmitsAboveFull) && !key.started && n > capacity_) {
    key.started = true;
    return {.admitted = true};
  }
  const Wide clock = options_.clock ? options_.clock->count() : 1;
  const Wide t = clock * floor_of(now, clock);
  bool admitted = false;
  if (algorithm_ == "fixed-window") {
    admitted = fixed_window(key, t, n);
  } else if (algorithm_ == "sliding-log") {
    admitted = sliding_log(key, t, n);
  } else if (algorithm_ == "sliding-counter") {
    admitted = sliding_counter(key, t, n);
  } else if (options_.refill == Refill::kInterval) {
    admitted = stepped(key, t, n);
  } else {
    admitted = bucket(key, t, n);
  }
  return {.admitted = request.cost == 0 || admitted};
}

Wide Mutant::taken(bool admitted, Wide n, Wide room) const {
  if (admitted) return n;
  if (is(Mutation::kTakesPart)) return std::max<Wide>(0, std::min(n, room));
  const bool attempted = options_.charge == Charge::kAttempted;
  return attempted != is(Mutation::kChargesRefusals) ? n : 0;
}

/// How long a charged unit counts. With boundary=closed the mistake about what is exactly W old is
/// to let it go.
Wide Mutant::life() const {
  if (options_.boundary != Boundary::kClosed) return window_;
  return is(Mutation::kKeepsEdge) ? window_ - 1 : window_ + 1;
}

/// The begin of the window of the grid that t lies in.
Wide Mutant::grid(Wide t) const {
  if (is(Mutation::kDropsRemainder)) return t;
  const Wide at = is(Mutation::kKeepsEdge) ? t - 1 : t;
  return window_ * (is(Mutation::kRoundsDown) ? at / window_ : floor_of(at, window_));
}

bool Mutant::fixed_window(Key& key, Wide t, Wide n) const {
  const bool first = options_.anchor == Anchor::kFirst;
  const bool done =
      first ? over(key.start, life(), t)
            : (is(Mutation::kDropsRemainder) ? over(key.start, window_, t) : grid(t) != key.start);
  const Wide count = !key.started || done ? 0 : key.count;
  const bool admitted = fits(count + n, limit_);
  const Wide units = taken(admitted, n, limit_ - count);
  if (units == 0) return admitted;
  if (count == 0) {
    // For a window that begins with a request, the remainder lost is that of its begin.
    key.start =
        first ? (is(Mutation::kDropsRemainder) ? window_ * floor_of(t, window_) : t) : grid(t);
  }
  key.count = count + units;
  key.started = true;
  return admitted;
}

bool Mutant::sliding_log(Key& key, Wide t, Wide n) const {
  // The instants of a log that keeps them coarsely.
  const Wide step = is(Mutation::kDropsRemainder) ? window_ / 10 : window_ / 4;
  const bool coarse = is(Mutation::kDropsRemainder) || is(Mutation::kRoundsDown);
  Wide live = 0;
  for (const auto& [at, units] : key.units) {
    if (!over(at, life(), t)) live += units;
  }
  const bool admitted = fits(live + n, limit_);
  const Wide units = taken(admitted, n, limit_ - live);
  if (units > 0) key.units.emplace_back(coarse ? step * floor_of(t, step) : t, units);
  key.started = true;
  return admitted;
}

Wide Mutant::past(const Key& key, Wide t) const {
  const Wide left = window_ - (t - key.start);
  const Wide product = is(Mutation::kDropsRemainder)
                           ? key.previous * (left * 10 / window_) * window_ / 10
                           : key.previous * left;
  const Round round = *options_.round;
  if (is(Mutation::kRoundsDown) && round != Round::kFloor) return floor_of(product, window_);
  if (is(Mutation::kRoundsDown)) return ceil_of(product, window_);
  switch (round) {
    case Round::kFloor:
      return floor_of(product, window_);
    case Round::kNearest:
      return floor_of(2 * product + window_, 2 * window_);
    case Round::kExact:
    case Round::kCeil:
      break;
  }
  return ceil_of(product, window_);
}

bool Mutant::sliding_counter(Key& key, Wide t, Wide n) const {
  const auto roll = [&] {
    if (key.count == 0 && key.previous == 0) {
      key.start = options_.anchor == Anchor::kFirst ? t : window_ * floor_of(t, window_);
      return;
    }
    while (over(key.start, window_, t)) {
      key.previous = key.count;
      key.count = 0;
      key.start += window_;
      if (key.previous == 0) break;
    }
    if (key.count == 0 && key.previous == 0) {
      key.start = options_.anchor == Anchor::kFirst ? t : window_ * floor_of(t, window_);
    }
  };
  roll();
  const Wide before = past(key, t);
  const bool admitted = fits(before + key.count + n, limit_);
  key.count += taken(admitted, n, limit_ - before - key.count);
  key.started = true;
  return admitted;
}

/// Tokens that flow in, in 1/W of a token and per ns.
bool Mutant::bucket(Key& key, Wide t, Wide n) const {
  const bool whole = is(Mutation::kDropsRemainder);
  // A token is worth `worth`, and `rate` of it flows in every ns.
  Wide worth = window_;
  Wide rate = limit_;
  if (is(Mutation::kRoundsDown)) {
    worth = std::max<Wide>(1, window_ / limit_ / unit_.nanos * unit_.nanos);
    rate = 1;
  }
  const Wide full = capacity_ * worth;
  Wide held = full;
  if (key.started) {
    Wide flowed = (t - key.since) * rate;
    if (whole) flowed = flowed / worth * worth;
    if (is(Mutation::kKeepsEdge)) flowed -= 1;
    held = key.tokens + flowed;
    if (!is(Mutation::kUncapped)) held = std::min(full, held);
  }
  const bool admitted = fits(n * worth, held);
  const Wide units = taken(admitted, n, floor_of(held, worth));
  if (units == 0) return admitted;
  key.tokens = held - units * worth;
  key.since = t;
  key.started = true;
  return admitted;
}

bool Mutant::stepped(Key& key, Wide t, Wide n) const {
  Wide held = capacity_;
  Wide start = is(Mutation::kRoundsDown) ? window_ * floor_of(t, window_) : t;
  if (key.started) {
    start = key.start;
    Wide steps = floor_of(t - start, window_);
    if (is(Mutation::kKeepsEdge) && start + steps * window_ == t) --steps;
    steps = std::max<Wide>(0, steps);
    held = key.tokens + steps * limit_;
    if (!is(Mutation::kUncapped)) held = std::min(capacity_, held);
    start += steps * window_;
    if (is(Mutation::kDropsRemainder) && steps > 0) start = t;
  }
  const bool admitted = fits(n, held);
  const Wide units = taken(admitted, n, held);
  if (units == 0) return admitted;
  key.tokens = held - units;
  key.start = start;
  key.started = true;
  return admitted;
}

}  // namespace ratereplay::test
