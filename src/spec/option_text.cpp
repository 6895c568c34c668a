// SPDX-License-Identifier: Apache-2.0
#include "spec/option_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <variant>

#include "spec/duration_text.hpp"

namespace ratereplay {
namespace {

using std::string_view;

// In the order of the enumerations in limit.hpp.
constexpr std::array<string_view, 4> kRounds{"floor", "exact", "nearest", "ceil"};
constexpr std::array<string_view, 2> kAnchors{"epoch", "first"};
constexpr std::array<string_view, 2> kBoundaries{"half-open", "closed"};
constexpr std::array<string_view, 2> kRefills{"continuous", "interval"};
constexpr std::array<string_view, 2> kModes{"queue", "meter"};
constexpr std::array<string_view, 2> kCharges{"admitted", "attempted"};

template <class Value>
std::optional<std::string> word_of(const std::optional<Value>& value,
                                   std::span<const string_view> words) {
  if (!value) return std::nullopt;
  return std::string(words[static_cast<std::size_t>(*value)]);
}

}  // namespace

std::span<const string_view> option_words(Option option) noexcept {
  switch (option) {
    case Option::kRound:
      return kRounds;
    case Option::kAnchor:
      return kAnchors;
    case Option::kBoundary:
      return kBoundaries;
    case Option::kRefill:
      return kRefills;
    case Option::kMode:
      return kModes;
    case Option::kCharge:
      return kCharges;
    case Option::kCapacity:
    case Option::kClock:
      break;
  }
  return {};
}

std::string option_values(Option option) {
  if (option == Option::kCapacity) return "UNITS";
  if (option == Option::kClock) return "DURATION";
  return fmt::format("{}", fmt::join(option_words(option), "|"));
}

void set_word(Options& options, Option option, std::size_t index) {
  switch (option) {
    case Option::kRound:
      options.round = static_cast<Round>(index);
      break;
    case Option::kAnchor:
      options.anchor = static_cast<Anchor>(index);
      break;
    case Option::kBoundary:
      options.boundary = static_cast<Boundary>(index);
      break;
    case Option::kRefill:
      options.refill = static_cast<Refill>(index);
      break;
    case Option::kMode:
      options.mode = static_cast<Mode>(index);
      break;
    case Option::kCharge:
      options.charge = static_cast<Charge>(index);
      break;
    case Option::kCapacity:
    case Option::kClock:
      break;
  }
}

std::optional<std::string> option_text(const Options& options, Option option) {
  switch (option) {
    case Option::kCapacity:
      if (!options.capacity) return std::nullopt;
      return fmt::format("{}", *options.capacity);
    case Option::kRound:
      return word_of(options.round, kRounds);
    case Option::kAnchor:
      return word_of(options.anchor, kAnchors);
    case Option::kBoundary:
      return word_of(options.boundary, kBoundaries);
    case Option::kRefill:
      return word_of(options.refill, kRefills);
    case Option::kMode:
      return word_of(options.mode, kModes);
    case Option::kCharge:
      return word_of(options.charge, kCharges);
    case Option::kClock:
      if (!options.clock) return std::nullopt;
      return duration_text(*options.clock);
  }
  return std::nullopt;
}

const Limit& limit_of(const AnyPolicy& policy) {
  return std::visit([](const auto& p) -> const Limit& { return p.limit(); }, policy);
}

const Options& options_of(const AnyPolicy& policy) {
  return std::visit([](const auto& p) -> const Options& { return p.options(); }, policy);
}

std::int64_t capacity_of(const AnyPolicy& policy) {
  return std::visit([](const auto& p) { return p.capacity(); }, policy);
}

std::span<const Option> taken_options(const AnyPolicy& policy) {
  return taken_options(policy_name(policy));
}

std::span<const Option> taken_options(string_view algorithm) {
  std::span<const Option> taken;
  for_each_policy([&]<Policy P>() {
    if (algorithm == P::kName) taken = P::kOptions;
  });
  return taken;
}

}  // namespace ratereplay
