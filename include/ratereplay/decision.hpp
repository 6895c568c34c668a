// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "ratereplay/time.hpp"

namespace ratereplay {

/// Units that one request asks for: 0 (a probe) to 2^32 - 1.
using Cost = std::uint32_t;

/// What became of a request. `kNever` is a refusal that no wait can cure: the cost is above the
/// capacity.
enum class Outcome : std::uint8_t { kAdmitted, kRefused, kNever };

/// What a key may expect if nothing else arrives.
struct Standing {
  /// The largest cost that would be admitted now. 0 to capacity.
  std::int64_t remaining = 0;

  /// The first instant at which a cost of `remaining + 1` would be admitted; now when full.
  Instant reset_at{};

  /// The first instant at which a cost of capacity would be admitted; now when full.
  Instant full_at{};

  friend bool operator==(const Standing&, const Standing&) = default;
};

/// The answer to one request. Every field but `outcome` and `delay` reads the state after this
/// decision.
struct Decision {
  Outcome outcome = Outcome::kAdmitted;

  /// The largest cost that would be admitted at the same instant. 0 to capacity.
  std::int64_t remaining = 0;

  /// The least wait, in whole ticks, after which the same cost for the same key would be admitted
  /// if nothing else arrived. 0 when admitted; absent when never.
  std::optional<Duration> retry_after = Duration{0};

  /// The first instant at which a cost of `remaining + 1` would be admitted; absent when full.
  std::optional<Instant> reset_at;

  /// The first instant at which a cost of capacity would be admitted; the instant of the request
  /// when already full.
  Instant full_at{};

  /// leaky-bucket in queue mode: how long an admitted request waits before its first unit leaves.
  /// 0 everywhere else.
  Duration delay{0};

  [[nodiscard]] constexpr bool admitted() const noexcept { return outcome == Outcome::kAdmitted; }

  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace ratereplay
