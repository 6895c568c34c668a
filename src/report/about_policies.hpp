// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/arithmetic.hpp"
#include "ratereplay/policies.hpp"

/// What a policy means in words, and the numbers that its parameters do not say themselves. One
/// specialisation of About for every policy in the list; one that is missing does not compile.
namespace ratereplay {

/// `kPick`   when to choose it, one line
/// `kState`  the numbers it keeps for a key
/// `wait`    what a refused request waits for
/// `worst`   a bound on the units admitted within `span` ns and the instant they begin at
/// `notes`   what else its options change
template <Policy P>
struct About;

namespace about {

/// Windows of `length` ns, one after another, that an interval of span + 1 instants can touch.
constexpr Wide touched(Wide span, Wide length) { return ceil_div(span, length) + 1; }

}  // namespace about

template <>
struct About<FixedWindow> {
  static constexpr std::string_view kPick =
      "the simplest rule, where twice the limit across an edge does no harm";
  static constexpr std::string_view kState = "the window and its count";

  static std::string_view wait(const FixedWindow&) { return "until the next window begins"; }

  static Wide worst(const FixedWindow& policy, Wide span) {
    const Wide limit = policy.limit().count;
    const bool closed = policy.options().boundary == Boundary::kClosed;
    const Wide length = Wide{policy.limit().window.count()} + (closed ? 1 : 0);
    const Wide windows = about::touched(span, length);
    // A window that opens with a request spends a unit at its very beginning: the first of the
    // windows is whole only if all their beginnings fit.
    const bool first = policy.options().anchor == Anchor::kFirst;
    return windows * limit - (first && (windows - 1) * length > span ? 1 : 0);
  }

  static void notes(const FixedWindow& policy, std::vector<std::string>& out) {
    if (policy.options().anchor == Anchor::kEpoch) {
      out.emplace_back(
          "windows begin at whole multiples of the window since the epoch, for all "
          "keys at once");
    } else {
      out.emplace_back("a key's window opens with its first charged request after the last closed");
    }
    if (policy.options().boundary == Boundary::kClosed) {
      out.emplace_back("the window holds its last instant too: the next opens 1 ns later");
    }
  }
};

template <>
struct About<SlidingLog> {
  static constexpr std::string_view kPick =
      "the limit kept exactly in every window, for 8 bytes a unit of limit and key";
  static constexpr std::string_view kState = "an instant for every unit of the limit";

  static std::string_view wait(const SlidingLog&) {
    return "until enough of the oldest units have left the window";
  }

  static Wide worst(const SlidingLog& policy, Wide span) {
    const bool closed = policy.options().boundary == Boundary::kClosed;
    const Wide length = Wide{policy.limit().window.count()} + (closed ? 1 : 0);
    return (floor_div(span, length) + 1) * policy.limit().count;
  }

  static void notes(const SlidingLog& policy, std::vector<std::string>& out) {
    if (policy.options().boundary == Boundary::kClosed) {
      out.emplace_back("a unit exactly one window old still counts; it leaves 1 ns later");
    } else {
      out.emplace_back("a unit exactly one window old has left");
    }
    if (policy.options().charge == Charge::kAttempted) {
      out.emplace_back("the log holds refused units too and can outgrow the limit");
    }
  }
};

template <>
struct About<SlidingCounter> {
  static constexpr std::string_view kPick =
      "close to the log for three numbers a key, where up to twice the limit is acceptable";
  static constexpr std::string_view kState = "the window, its count and the count before";

  static std::string_view wait(const SlidingCounter&) {
    return "until the count of the window before has faded far enough";
  }

  static Wide worst(const SlidingCounter& policy, Wide span) {
    const Wide limit = policy.limit().count;
    const Wide window = policy.limit().window.count();
    const Wide grid = about::touched(span, window) * limit;
    const Round round = *policy.options().round;
    const bool whole = round == Round::kFloor || round == Round::kNearest;
    if (span >= window || whole) return grid;
    return std::min(grid, 2 * limit - 1);
  }

  static void notes(const SlidingCounter& policy, std::vector<std::string>& out) {
    switch (*policy.options().round) {
      case Round::kFloor:
        out.emplace_back("the past is rounded down: a part of a unit is given away");
        break;
      case Round::kExact:
        out.emplace_back("the past is a fraction, compared exactly");
        break;
      case Round::kNearest:
        out.emplace_back("the past is rounded to the nearest unit, a half up");
        break;
      case Round::kCeil:
        out.emplace_back("the past is rounded up: decides as round=exact");
        break;
    }
    if (policy.options().anchor == Anchor::kEpoch) {
      out.emplace_back("windows begin at whole multiples of the window since the epoch");
    } else {
      out.emplace_back(
          "a key's windows begin with its first charged request, and anew once both "
          "counts are 0");
    }
  }
};

/// What gcra, the continuous token bucket and the leaky bucket share.
namespace about {

template <class P>
Wide worst_of_rate(const P& policy, Wide span) {
  return Wide{policy.capacity()} +
         floor_div(span * policy.limit().count, policy.limit().window.count());
}

}  // namespace about

template <>
struct About<Gcra> {
  static constexpr std::string_view kPick =
      "an even rate with a chosen capacity, for one number a key";
  static constexpr std::string_view kState = "the theoretical arrival time";

  static std::string_view wait(const Gcra&) { return "until the missing units have been earned"; }
  static Wide worst(const Gcra& policy, Wide span) { return about::worst_of_rate(policy, span); }
  static void notes(const Gcra&, std::vector<std::string>&) {}
};

template <>
struct About<TokenBucket> {
  static constexpr std::string_view kPick =
      "gcra under its usual name; refill=interval for gateways that refill in steps";
  static constexpr std::string_view kState = "the tokens and when they were counted";

  static std::string_view wait(const TokenBucket& policy) {
    return policy.options().refill == Refill::kInterval
               ? "until the step that brings the missing tokens"
               : "until the missing tokens have flowed in";
  }

  static Wide worst(const TokenBucket& policy, Wide span) {
    if (policy.options().refill != Refill::kInterval) return about::worst_of_rate(policy, span);
    const Wide steps = ceil_div(span, policy.limit().window.count());
    return policy.capacity() + steps * std::min(policy.capacity(), policy.limit().count);
  }

  static void notes(const TokenBucket& policy, std::vector<std::string>& out) {
    if (policy.options().refill == Refill::kInterval) {
      out.emplace_back(
          "tokens come all at once, a window apart, counted from the key's first "
          "charged request");
    } else {
      out.emplace_back("tokens flow in without steps: decides as gcra with this capacity");
    }
  }
};

template <>
struct About<LeakyBucket> {
  static constexpr std::string_view kPick =
      "requests spaced out rather than refused: says how long each would wait in the queue";
  static constexpr std::string_view kState = "the theoretical arrival time; the queue comes on top";

  static std::string_view wait(const LeakyBucket&) { return "until the bucket has leaked enough"; }
  static Wide worst(const LeakyBucket& policy, Wide span) {
    return about::worst_of_rate(policy, span);
  }

  static void notes(const LeakyBucket& policy, std::vector<std::string>& out) {
    if (policy.options().mode == Mode::kMeter) {
      out.emplace_back("a level alone is kept: no admitted request is delayed");
    } else {
      out.emplace_back("an admitted request is delayed until its first unit leaves the queue");
    }
  }
};

}  // namespace ratereplay
