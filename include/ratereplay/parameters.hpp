// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ratereplay/arithmetic.hpp"
#include "ratereplay/limit.hpp"

/// What the constructors of the policies have in common. Every product that a policy forms fits 128
/// bits for any 64-bit limit, window and capacity, so the greatest value of each is 2^63 - 1.
namespace ratereplay {

/// The name of an option on the command line.
[[nodiscard]] constexpr std::string_view option_name(Option option) noexcept {
  constexpr std::array<std::string_view, 8> kNames{"capacity", "round", "anchor", "boundary",
                                                   "refill",   "mode",  "charge", "clock"};
  return kNames[static_cast<std::size_t>(option)];
}

/// Every option, in canonical order.
inline constexpr std::array kAllOptions{Option::kCapacity, Option::kRound,  Option::kAnchor,
                                        Option::kBoundary, Option::kRefill, Option::kMode,
                                        Option::kCharge,   Option::kClock};

/// Whether `option` is present in `options`.
[[nodiscard]] constexpr bool has_option(const Options& options, Option option) noexcept {
  switch (option) {
    case Option::kCapacity:
      return options.capacity.has_value();
    case Option::kRound:
      return options.round.has_value();
    case Option::kAnchor:
      return options.anchor.has_value();
    case Option::kBoundary:
      return options.boundary.has_value();
    case Option::kRefill:
      return options.refill.has_value();
    case Option::kMode:
      return options.mode.has_value();
    case Option::kCharge:
      return options.charge.has_value();
    case Option::kClock:
      return options.clock.has_value();
  }
  return false;
}

/// std::invalid_argument naming `parameter` and its bounds unless 1 <= value.
inline void require_positive(std::string_view parameter, std::int64_t value,
                             std::string_view unit = "") {
  if (value >= 1) return;
  throw std::invalid_argument(std::string(parameter) + " must be from 1 to " +
                              std::to_string(kInt64Max) + std::string(unit) + ", not " +
                              std::to_string(value));
}

/// `limit` and `options` as given, when policy `name` can be made with them and takes the options
/// `taken`; else std::invalid_argument naming the parameter and its bounds.
[[nodiscard]] inline Options checked(std::string_view name, Limit limit, Options options,
                                     std::span<const Option> taken) {
  require_positive("limit", limit.count);
  require_positive("window", limit.window.count(), " ns");
  for (const Option option : kAllOptions) {
    if (has_option(options, option) && std::find(taken.begin(), taken.end(), option) == taken.end())
      throw std::invalid_argument(std::string(name) + " does not take the option " +
                                  std::string(option_name(option)));
  }
  if (options.capacity) require_positive("capacity", *options.capacity);
  if (options.clock) require_positive("clock", options.clock->count(), " ns");
  return options;
}

}  // namespace ratereplay
