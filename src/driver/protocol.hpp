// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "vectors/decider.hpp"

/// The lines of ratereplay.driver/1. docs/drivers/README.md is their description.
namespace ratereplay {

/// The line that begins every case: protocol, unit, policy, and its parameters one by one.
[[nodiscard]] std::string opening_line(const PolicySpec& spec, Unit unit);
/// The same where only the limit is known, and perhaps a capacity: the policy is null.
[[nodiscard]] std::string opening_line(const Limit& limit, std::optional<std::int64_t> capacity,
                                       Unit unit);

/// Different keys have different texts there, also those that are not UTF-8.
[[nodiscard]] std::string request_line(const Request& request);

/// A line that is no answer; what() goes on after "the driver ".
class NoAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An `error` that the driver reports in the place of an answer.
class DriverRefusal : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

/// NoAnswer unless the line is `{"ready":true}`.
void read_ready(std::string_view line);

/// NoAnswer when the line is not a JSON object with `admitted` and, perhaps, the other fields of an
/// answer. Times between two units are rounded up, a broken `remaining` down, both after the sixth
/// decimal was rounded, so that what was computed in doubles comes back.
[[nodiscard]] Answer read_answer(std::string_view line);

}  // namespace ratereplay
