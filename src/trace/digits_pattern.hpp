// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ratereplay {

/// A strptime pattern for stamps of digits alone whose parts do not say what they are:
/// `7/16/2021 1:38:07 AM`, `16.07.2021 01:38`, `20260102030405`. Day and month are told apart by
/// what occurs in the texts: a number above 12 is a day, and a date with dots begins with the day.
/// Nothing when the texts are not written so; `why` is set where both orders would do.
[[nodiscard]] std::optional<std::string> digits_pattern(const std::vector<std::string_view>& texts,
                                                        std::string& why);

}  // namespace ratereplay
