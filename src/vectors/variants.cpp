// SPDX-License-Identifier: Apache-2.0
#include "vectors/variants.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <variant>

#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {
namespace {

/// nullopt where the policy's constructor refuses the options.
std::optional<AnyPolicy> try_make(std::string_view algorithm, const Limit& limit,
                                  const Options& options) {
  try {
    return make_policy(algorithm, limit, options);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// "round=exact charge=attempted": the options of `other` that are not as in `policy`.
std::string difference_text(const AnyPolicy& policy, const AnyPolicy& other) {
  std::string text;
  for (const Option option : taken_options(policy)) {
    const auto value = option_text(options_of(other), option);
    if (value == option_text(options_of(policy), option)) continue;
    if (!text.empty()) text += ' ';
    text += value ? fmt::format("{}={}", option_name(option), *value)
                  : fmt::format("no {}", option_name(option));
  }
  return text;
}

bool has_rate(const AnyPolicy& policy) {
  const auto* token = std::get_if<TokenBucket>(&policy);
  return std::holds_alternative<Gcra>(policy) || std::holds_alternative<LeakyBucket>(policy) ||
         (token != nullptr && token->options().refill == Refill::kContinuous);
}

class Rivals {
 public:
  Rivals(const AnyPolicy& policy, Unit unit)
      : policy_(policy),
        name_(policy_name(policy)),
        limit_(limit_of(policy)),
        options_(options_of(policy)),
        unit_(unit) {}

  std::vector<Variant> all() {
    for (const AnyPolicy& other : combinations(policy_))
      add(other, difference_text(policy_, other));
    add_capacities();
    if (options_.clock) {
      Options options = options_;
      options.clock.reset();
      add_options(options);
    }
    if (has_rate(policy_)) add_intervals();
    for (const std::string_view algorithm : kPolicyNames) {
      if (algorithm == name_) continue;
      Options options;
      if (takes(algorithm, Option::kCapacity)) options.capacity = options_.capacity;
      if (auto other = try_make(algorithm, limit_, options)) add(*other, std::string(algorithm));
    }
    return std::move(rivals_);
  }

 private:
  static bool takes(std::string_view algorithm, Option option) {
    const auto taken = taken_options(algorithm);
    return std::find(taken.begin(), taken.end(), option) != taken.end();
  }

  void add(const AnyPolicy& policy, std::string name) {
    if (canonical_text(policy) == canonical_text(policy_)) return;
    rivals_.push_back({policy, std::move(name)});
  }

  void add_options(const Options& options) {
    if (auto other = try_make(name_, limit_, options))
      add(*other, difference_text(policy_, *other));
  }

  void add_capacities() {
    if (!options_.capacity) {
      // The limit of a window is its capacity.
      if (limit_.count > 1) add_limit(limit_.count - 1);
      if (limit_.count < kInt64Max) add_limit(limit_.count + 1);
      return;
    }
    Options options = options_;
    if (*options_.capacity > 1) {
      options.capacity = *options_.capacity - 1;
      add_options(options);
    }
    if (*options_.capacity < kInt64Max) {
      options.capacity = *options_.capacity + 1;
      add_options(options);
    }
  }

  void add_limit(std::int64_t count) {
    if (auto other = try_make(name_, {count, limit_.window}, options_)) {
      add(*other, fmt::format("limit {}", count));
    }
  }

  /// A limiter that keeps its interval in whole units admits one unit each of them.
  void add_intervals() {
    const std::int64_t window = limit_.window.count();
    const std::int64_t down = window / limit_.count / unit_.nanos * unit_.nanos;
    const bool whole = Wide{down} * limit_.count == window;
    if (whole || window == 0) return;
    const auto add_interval = [&](std::int64_t interval, std::string_view way) {
      if (interval < 1 || interval > window) return;
      if (auto other = try_make(name_, {1, Duration{interval}}, options_)) {
        add(*other,
            fmt::format("interval rounded {} to {}", way, duration_text(Duration{interval})));
      }
    };
    add_interval(down, "down");
    add_interval(down + unit_.nanos, "up");
  }

  const AnyPolicy& policy_;
  std::string_view name_;
  Limit limit_;
  Options options_;
  Unit unit_;
  std::vector<Variant> rivals_;
};

}  // namespace

std::vector<AnyPolicy> combinations(const AnyPolicy& policy) {
  std::vector<Options> all{options_of(policy)};
  for (const Option option : taken_options(policy)) {
    const auto words = option_words(option);
    if (words.empty()) continue;
    std::vector<Options> more;
    for (const Options& options : all) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        more.push_back(options);
        set_word(more.back(), option, i);
      }
    }
    all = std::move(more);
  }
  std::vector<AnyPolicy> made;
  for (const Options& options : all) {
    if (auto one = try_make(policy_name(policy), limit_of(policy), options)) {
      made.push_back(*one);
    }
  }
  return made;
}

std::vector<Variant> rivals_of(const AnyPolicy& policy, Unit unit) {
  return Rivals(policy, unit).all();
}

Unit unit_for(const AnyPolicy& policy) {
  const std::int64_t window = limit_of(policy).window.count();
  const std::int64_t clock = options_of(policy).clock.value_or(Duration{0}).count();
  for (const Unit& unit : kUnits) {
    if (unit.nanos > kMilliseconds.nanos) continue;
    if (window % unit.nanos == 0 && clock % unit.nanos == 0) return unit;
  }
  return kUnits.back();
}

}  // namespace ratereplay
