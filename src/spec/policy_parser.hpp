// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/limit.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {

/// Reads one policy from front to back. For one use; the text must outlive it.
class PolicyParser {
 public:
  /// Writes the place of a 1-based column for messages.
  using PlaceText = std::function<std::string(std::size_t column)>;

  PolicyParser(std::string_view text, PlaceText place) : text_(text), place_(std::move(place)) {}

  /// Error(kUsage) with the place underlined.
  [[nodiscard]] PolicySpec parse();
  /// The same, or a driver.
  [[nodiscard]] GivenPolicy parse_given();

 private:
  struct Given {
    Option option;
    std::string_view text;  ///< "name=value"
  };

  /// Takes the name off the front, if there is one; returns the rest.
  std::string_view parse_front();
  PolicySpec parse_policy(std::string_view rest);
  void parse_name(std::string_view name);
  void parse_algorithm(std::string_view algorithm);
  void parse_limit(std::string_view quota);
  void parse_option(std::string_view text);
  std::int64_t parse_count(std::string_view text, std::string_view what);
  Duration parse_length(std::string_view text, std::string_view what);
  void set_option(Option option, std::string_view value);
  PolicySpec make();

  [[noreturn]] void refuse_burst(std::string_view text, std::string_view value) const;
  [[noreturn]] void refuse_option(std::string_view option) const;
  /// `part` is a piece of text_, which is underlined.
  [[noreturn]] void refuse(std::string_view part, std::string message,
                           std::vector<std::string> advice) const;

  std::string_view text_;
  PlaceText place_;
  bool drivers_ = false;  ///< a driver may stand here
  std::string_view name_;
  std::string_view algorithm_;
  std::string_view count_text_;
  std::string_view window_text_;
  Limit limit_;
  Options options_;
  std::vector<Given> given_;
};

}  // namespace ratereplay
