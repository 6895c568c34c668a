// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "ratereplay/policies.hpp"

/// For tests that go over a policy with all its options, and print what failed.
namespace testing {

/// Every combination of the options that P takes. Each is left out once; capacity and clock take
/// the given values.
template <ratereplay::Policy P>
std::vector<ratereplay::Options> every_option(const std::vector<std::int64_t>& capacities,
                                              const std::vector<ratereplay::Duration>& clocks) {
  using namespace ratereplay;
  std::vector<Options> all{Options{}};
  const auto multiply = [&](auto member, const auto& values) {
    std::vector<Options> more = all;
    for (const Options& options : all) {
      for (const auto& value : values) {
        more.push_back(options);
        more.back().*member = value;
      }
    }
    all = std::move(more);
  };
  for (const Option option : P::kOptions) {
    switch (option) {
      case Option::kCapacity:
        multiply(&Options::capacity, capacities);
        break;
      case Option::kRound:
        multiply(&Options::round, std::vector{Round::kExact, Round::kNearest, Round::kCeil});
        break;
      case Option::kAnchor:
        multiply(&Options::anchor, std::vector{Anchor::kFirst});
        break;
      case Option::kBoundary:
        multiply(&Options::boundary, std::vector{Boundary::kClosed});
        break;
      case Option::kRefill:
        multiply(&Options::refill, std::vector{Refill::kInterval});
        break;
      case Option::kMode:
        multiply(&Options::mode, std::vector{Mode::kMeter});
        break;
      case Option::kCharge:
        multiply(&Options::charge, std::vector{Charge::kAttempted});
        break;
      case Option::kClock:
        multiply(&Options::clock, clocks);
        break;
    }
  }
  std::erase_if(all, [](const Options& options) {
    return P::kName == "fixed-window" && options.boundary == Boundary::kClosed &&
           options.anchor != Anchor::kFirst;
  });
  return all;
}

/// The policy, for a message.
template <ratereplay::Policy P>
std::string described(const P& policy) {
  using namespace ratereplay;
  std::ostringstream out;
  const Options& o = policy.options();
  out << P::kName << ':' << policy.limit().count << '/' << policy.limit().window.count() << "ns";
  if (o.capacity) out << ",capacity=" << *o.capacity;
  if (o.round) out << ",round=" << static_cast<int>(*o.round);
  if (o.anchor) out << ",anchor=" << static_cast<int>(*o.anchor);
  if (o.boundary) out << ",boundary=" << static_cast<int>(*o.boundary);
  if (o.refill) out << ",refill=" << static_cast<int>(*o.refill);
  if (o.mode) out << ",mode=" << static_cast<int>(*o.mode);
  if (o.charge) out << ",charge=" << static_cast<int>(*o.charge);
  if (o.clock) out << ",clock=" << o.clock->count() << "ns";
  return out.str();
}

/// The decision, for a message.
inline std::string described(const ratereplay::Decision& d) {
  std::ostringstream out;
  out << (d.outcome == ratereplay::Outcome::kAdmitted  ? "admitted"
          : d.outcome == ratereplay::Outcome::kRefused ? "refused"
                                                       : "never")
      << " remaining " << d.remaining << " retryAfter ";
  d.retry_after ? out << d.retry_after->count() : out << "never";
  out << " resetAt ";
  d.reset_at ? out << d.reset_at->time_since_epoch().count() : out << "absent";
  out << " fullAt " << d.full_at.time_since_epoch().count() << " delay " << d.delay.count();
  return out.str();
}

}  // namespace testing

namespace ratereplay {
inline std::ostream& operator<<(std::ostream& out, const Decision& decision) {
  return out << testing::described(decision);
}
}  // namespace ratereplay
