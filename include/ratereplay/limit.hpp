// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "ratereplay/time.hpp"

namespace ratereplay {

/// `count` units per `window`. count >= 1, window >= 1 ns; each policy's constructor states the
/// greatest values it can represent.
struct Limit {
  std::int64_t count = 0;
  Duration window{0};

  friend bool operator==(const Limit&, const Limit&) = default;
};

/// The first value of each option is its default.
enum class Round : std::uint8_t { kFloor, kExact, kNearest, kCeil };
enum class Anchor : std::uint8_t { kEpoch, kFirst };
enum class Boundary : std::uint8_t { kHalfOpen, kClosed };
enum class Refill : std::uint8_t { kContinuous, kInterval };
enum class Mode : std::uint8_t { kQueue, kMeter };
enum class Charge : std::uint8_t { kAdmitted, kAttempted };

/// The options a policy can be given, in canonical order. Absent = the policy's default. Giving a
/// policy an option that it does not take is std::invalid_argument.
struct Options {
  /// The most units that a fresh key is granted at one instant. Buckets only; default: the limit.
  std::optional<std::int64_t> capacity = std::nullopt;
  std::optional<Round> round = std::nullopt;
  std::optional<Anchor> anchor = std::nullopt;
  std::optional<Boundary> boundary = std::nullopt;
  std::optional<Refill> refill = std::nullopt;
  std::optional<Mode> mode = std::nullopt;
  std::optional<Charge> charge = std::nullopt;
  /// Resolution of the clock that the limiter reads, >= 1 ns; default: every nanosecond is seen.
  std::optional<Duration> clock = std::nullopt;

  friend bool operator==(const Options&, const Options&) = default;
};

/// The names of the options, for the lists that each policy keeps of those it takes.
enum class Option : std::uint8_t {
  kCapacity,
  kRound,
  kAnchor,
  kBoundary,
  kRefill,
  kMode,
  kCharge,
  kClock
};

}  // namespace ratereplay
