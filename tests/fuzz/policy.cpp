// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "error.hpp"
#include "fuzz/targets.hpp"
#include "policies/every_option.hpp"
#include "reference/model.hpp"
#include "spec/option_text.hpp"
#include "spec/policy_spec.hpp"

/// Input: a line with a policy; one byte for the start and the tick; then three bytes a request:
/// how the clock moves, by how much, and the cost.
namespace ratereplay::fuzz {
namespace {

constexpr std::size_t kMostRequests = 32;  // the reference looks at the whole past every time

/// Small enough for the reference, which knows no saturation and takes its time.
bool comparable(const AnyPolicy& policy) {
  const Limit& limit = limit_of(policy);
  const Options& options = options_of(policy);
  constexpr std::int64_t kMostUnits = std::int64_t{1} << 20;
  constexpr std::int64_t kLongest = std::int64_t{1} << 50;
  const std::int64_t capacity = options.capacity.value_or(limit.count);
  return limit.count <= kMostUnits && limit.window.count() <= kLongest && capacity <= kMostUnits &&
         capacity / 16 <= limit.count && options.clock.value_or(Duration{1}).count() <= kLongest;
}

std::int64_t moved(std::int64_t now, std::uint8_t how, std::uint8_t amount, const Limit& limit) {
  const std::int64_t window = limit.window.count();
  switch (how % 8) {
    case 0:
      return now + amount;
    case 1:
      return now - amount;
    case 2:
      return now + window - 1 + amount % 3;
    case 3:
      return now + window / 256 * amount;
    case 4:
      return now + window * (amount % 8);
    case 5:
      return now + window / limit.count * (amount % 16) - 1 + amount / 16 % 3;
    case 6:
      return now - window / 256 * amount;
    default:
      return now;
  }
}

template <Policy P>
void compare(const P& policy, std::string_view bytes) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
  constexpr std::int64_t kStarts[] = {0, -5, 1'716'723'772'601'480'700, -1'000'000'000'000};
  constexpr std::int64_t kTicks[] = {1, 1'000, 1'000'000, 1'000'000'000};
  std::int64_t now = kStarts[byte(0) % 4];
  const Duration tick{kTicks[byte(0) / 4 % 4]};
  Tracked<P> key;
  reference::Model model(P::kName, policy.limit(), policy.options(), reference::Search::kBisect);
  const std::size_t requests = std::min((bytes.size() - 1) / 3, kMostRequests);
  for (std::size_t i = 0; i < requests; ++i) {
    now = moved(now, byte(3 * i + 1), byte(3 * i + 2), policy.limit());
    const Instant at{Duration{now}};
    Cost cost = byte(3 * i + 3);
    if (cost >= 128) cost = static_cast<Cost>(policy.capacity() + cost - 192);
    const Decision peeked = peek(policy, key, at, cost, tick);
    const Decision got = admit(policy, key, at, cost, tick);
    const Decision want = model.admit(at, cost, tick);
    require(got == peeked, "admit answers as peek did");
    require(got == want, ::testing::described(policy) + " request " + std::to_string(i) + ": " +
                             std::to_string(cost) + " at " + std::to_string(now) + "\n  got  " +
                             ::testing::described(got) + "\n  want " + ::testing::described(want));
  }
}

}  // namespace

void policy(std::string_view bytes) {
  const std::string_view line = take_line(bytes);
  if (bytes.empty()) return;
  std::optional<PolicySpec> spec;
  try {
    spec = parse_policy(line, "-p 1");
  } catch (const Error&) {
    return;
  }
  if (!comparable(spec->policy)) return;
  std::visit([&](const auto& one) { compare(one, bytes); }, spec->policy);
}

}  // namespace ratereplay::fuzz
