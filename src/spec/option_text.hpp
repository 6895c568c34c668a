// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ratereplay/limit.hpp"
#include "ratereplay/policies.hpp"

namespace ratereplay {

/// The words that an option can be set to, the default first; empty for options that take a number
/// or a duration.
[[nodiscard]] std::span<const std::string_view> option_words(Option option) noexcept;

/// What an option can be set to, for help: "floor|exact|nearest|ceil", "UNITS", "DURATION".
[[nodiscard]] std::string option_values(Option option);

/// Sets an option that takes a word to the one at `index`.
void set_word(Options& options, Option option, std::size_t index);

/// The option's value as the grammar spells it; nullopt when it is absent.
[[nodiscard]] std::optional<std::string> option_text(const Options& options, Option option);

/// What the policy was made with.
[[nodiscard]] const Limit& limit_of(const AnyPolicy& policy);
[[nodiscard]] const Options& options_of(const AnyPolicy& policy);
[[nodiscard]] std::int64_t capacity_of(const AnyPolicy& policy);
/// The options it takes, in canonical order.
[[nodiscard]] std::span<const Option> taken_options(const AnyPolicy& policy);
/// The same by name of the algorithm, which must be one of kPolicyNames.
[[nodiscard]] std::span<const Option> taken_options(std::string_view algorithm);

}  // namespace ratereplay
