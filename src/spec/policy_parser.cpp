// SPDX-License-Identifier: Apache-2.0
#include "spec/policy_parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "error.hpp"
#include "spec/count_text.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"
#include "text/nearest.hpp"
#include "text/utf8.hpp"

namespace ratereplay {
namespace {

using std::string_view;

constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kLongestName = 64;
constexpr string_view kDriver = "driver:";

std::vector<string_view> names_of(std::span<const Option> options) {
  std::vector<string_view> names;
  for (const Option option : options) names.push_back(option_name(option));
  return names;
}

std::vector<string_view> algorithms_taking(Option option) {
  std::vector<string_view> names;
  for (const string_view name : kPolicyNames) {
    if (std::ranges::count(taken_options(name), option) != 0) names.push_back(name);
  }
  return names;
}

/// "a", "a and b", "a, b and c"
std::string enumerate(const std::vector<string_view>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

bool all_digits(string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// Why a name is refused, or nullptr.
const char* fault_of_name(string_view name) {
  if (!is_utf8(name)) return "a name is UTF-8";
  std::size_t points = 0;
  for (std::size_t at = 0; at < name.size(); ++points) {
    const CodePoint point = decode_utf8(name, at);
    if (is_invisible(point.value)) return "a name has no control or invisible characters";
    at += point.bytes;
  }
  if (name.find_first_of(" ,:=#\\\"'`") != name.npos)
    return "a name has no space, comma, colon, =, #, backslash or quote";
  if (points > kLongestName) return "a name has at most 64 characters";
  return nullptr;
}

void append(std::vector<std::string>& advice, std::optional<std::string> line) {
  if (line) advice.push_back(*std::move(line));
}

}  // namespace

PolicySpec PolicyParser::parse() {
  const string_view rest = parse_front();
  if (rest.starts_with(kDriver)) {
    refuse(rest, "a driver cannot stand in this place", {"write a policy of ours"});
  }
  return parse_policy(rest);
}

GivenPolicy PolicyParser::parse_given() {
  drivers_ = true;
  const string_view rest = parse_front();
  if (!rest.starts_with(kDriver)) return parse_policy(rest);
  const string_view command = rest.substr(kDriver.size());
  if (command.find_first_not_of(" \t") == command.npos) {
    refuse(rest, "a driver needs a command", {"write mine='driver:node limiter.mjs'"});
  }
  return DriverSpec{std::string(name_), std::string(command)};
}

string_view PolicyParser::parse_front() {
  string_view rest = text_;
  const auto equals = rest.find('=');
  const auto colon = rest.find(':');
  // In "gcra,capacity=5", where the limit is missing, the sign belongs to an option.
  if (equals < colon && (colon != rest.npos || equals < rest.find(','))) {
    parse_name(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
  }
  return rest;
}

PolicySpec PolicyParser::parse_policy(string_view rest) {
  const string_view algorithm = rest.substr(0, rest.find_first_of(":,"));
  parse_algorithm(algorithm);
  rest.remove_prefix(algorithm.size());
  if (!rest.starts_with(':')) {
    refuse(algorithm, fmt::format("'{}' needs a limit", algorithm),
           {fmt::format("write {}:100/1s for 100 in a second", algorithm)});
  }
  rest.remove_prefix(1);
  const string_view quota = rest.substr(0, rest.find(','));
  parse_limit(quota);
  rest.remove_prefix(quota.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const string_view option = rest.substr(0, rest.find(','));
    parse_option(option);
    rest.remove_prefix(option.size());
  }
  return make();
}

void PolicyParser::parse_name(string_view name) {
  if (name.empty()) {
    refuse(text_.substr(0, 1), "the name is empty", {"write name=algorithm:limit/window"});
  }
  if (const char* fault = fault_of_name(name)) {
    refuse(name, fmt::format("'{}' cannot be a name", name), {fault});
  }
  name_ = name;
}

void PolicyParser::parse_algorithm(string_view algorithm) {
  if (std::ranges::count(kPolicyNames, algorithm) != 0) {
    algorithm_ = algorithm;
    return;
  }
  std::vector<std::string> advice;
  append(advice, suggestion(algorithm, kPolicyNames));
  advice.push_back(fmt::format("algorithms: {}{}", fmt::join(kPolicyNames, ", "),
                               drivers_ ? "; or driver:COMMAND" : ""));
  if (algorithm.empty() || algorithm.find('/') != algorithm.npos) {
    refuse(algorithm, "an algorithm is missing: write algorithm:limit/window", std::move(advice));
  }
  refuse(algorithm, fmt::format("unknown algorithm '{}'", algorithm), std::move(advice));
}

void PolicyParser::parse_limit(string_view quota) {
  const auto slash = quota.find('/');
  count_text_ = quota.substr(0, slash);
  limit_.count = parse_count(count_text_, "limit");
  if (slash == quota.npos) {
    refuse(quota, fmt::format("the limit '{}' needs a window", quota),
           {fmt::format("write {0}/1s for {0} in a second", quota)});
  }
  window_text_ = quota.substr(slash + 1);
  limit_.window = parse_length(window_text_, "window");
}

void PolicyParser::parse_option(string_view text) {
  const auto equals = text.find('=');
  const string_view name = text.substr(0, equals);
  const std::vector<string_view> taken = names_of(taken_options(algorithm_));
  const auto option = std::ranges::find(kAllOptions, name, option_name);
  if (name == "burst") {
    refuse_burst(text, equals == text.npos ? string_view{} : text.substr(equals + 1));
  }
  if (option == kAllOptions.end() || std::ranges::count(taken, name) == 0) refuse_option(name);
  if (equals == text.npos) {
    refuse(text, fmt::format("the option '{}' needs a value", name),
           {fmt::format("write {}={}", name, option_values(*option))});
  }
  if (std::ranges::count(given_, *option, &Given::option) != 0) {
    refuse(text, fmt::format("the option '{}' is given twice", name), {});
  }
  given_.push_back({*option, text});
  set_option(*option, text.substr(equals + 1));
}

void PolicyParser::set_option(Option option, string_view value) {
  if (option == Option::kCapacity) {
    options_.capacity = parse_count(value, "capacity");
    return;
  }
  if (option == Option::kClock) {
    const Duration clock = parse_length(value, "clock");
    // A clock of 1 ns is every nanosecond seen: the same policy as without one.
    if (clock > Duration{1}) options_.clock = clock;
    return;
  }
  const auto words = option_words(option);
  const auto word = std::ranges::find(words, value);
  if (word == words.end()) {
    std::vector<std::string> advice;
    append(advice, suggestion(value, words));
    advice.push_back(fmt::format("values: {}", fmt::join(words, ", ")));
    refuse(value, fmt::format("unknown value '{}' of '{}'", value, option_name(option)),
           std::move(advice));
  }
  set_word(options_, option, static_cast<std::size_t>(word - words.begin()));
}

std::int64_t PolicyParser::parse_count(string_view text, string_view what) {
  const auto result = read_count(text);
  if (const auto* value = std::get_if<std::int64_t>(&result); value != nullptr && *value > 0) {
    return *value;
  }
  const auto* fault = std::get_if<CountFault>(&result);
  if (fault != nullptr && *fault == CountFault::kSyntax) {
    refuse(text, fmt::format("'{}' is not a {}", text, what), {std::string(kCountAdvice)});
  }
  refuse(text, fmt::format("the {} {} is out of range", what, text),
         {fmt::format("it is from 1 to {}", kGreatest)});
}

Duration PolicyParser::parse_length(string_view text, string_view what) {
  const auto result = read_duration(text);
  if (const Duration* length = std::get_if<Duration>(&result)) {
    if (*length > Duration{0}) return *length;
    refuse(text, fmt::format("the {} {} is out of range", what, text),
           {fmt::format("it is from 1 ns to {} ns", kGreatest)});
  }
  const std::string units = fmt::format("units: {}", kDurationUnits);
  switch (std::get<DurationFault>(result)) {
    case DurationFault::kRange:
      refuse(text, fmt::format("the {} {} is too long", what, text),
             {fmt::format("the greatest is {} ns, about 292 years", kGreatest)});
    case DurationFault::kFraction:
      refuse(text, fmt::format("the {} {} is not a whole number of nanoseconds", what, text), {});
    case DurationFault::kUnit: {
      const string_view unit =
          text.substr(std::min(text.find_first_not_of("0123456789."), text.size()));
      // Empty for "1.5.5".
      if (!unit.empty() && unit.front() != '-' && text.find_first_of(" \t+-") == text.npos) {
        refuse(unit, fmt::format("unknown unit '{}'", unit), {units});
      }
      break;
    }
    case DurationFault::kSyntax:
      break;
  }
  refuse(text, fmt::format("'{}' is not a {}", text, what),
         {"write a number and a unit: 1s, 1.5h, 250ms", units});
}

void PolicyParser::refuse_burst(string_view text, string_view value) const {
  std::vector<std::string> advice;
  std::int64_t burst = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), burst);
  const bool number = all_digits(value) && error == std::errc{} && burst < kGreatest;
  const auto takers = algorithms_taking(Option::kCapacity);
  if (std::ranges::count(takers, algorithm_) == 0) {
    advice.push_back(
        fmt::format("{} takes neither: its limit is what it admits at one instant", algorithm_));
    advice.push_back(fmt::format("capacity belongs to {}", enumerate(takers)));
  }
  advice.push_back(
      fmt::format("write capacity={} for nginx or redis-cell (the first request comes on top)",
                  number ? fmt::format("{}", burst + 1) : "(burst + 1)"));
  advice.push_back(
      fmt::format("write capacity={} for Envoy, Traefik or AWS (the size of the whole bucket)",
                  number ? fmt::format("{}", burst) : "(burst)"));
  refuse(text, "'burst' means different things in different limiters", std::move(advice));
}

void PolicyParser::refuse_option(string_view option) const {
  const std::vector<string_view> taken = names_of(taken_options(algorithm_));
  std::vector<std::string> advice;
  const std::string takes = fmt::format("{} takes {}", algorithm_, enumerate(taken));
  const auto known = std::ranges::find(kAllOptions, option, option_name);
  if (known != kAllOptions.end()) {
    refuse(
        option, fmt::format("{} does not take the option '{}'", algorithm_, option),
        {takes, fmt::format("'{}' belongs to {}", option, enumerate(algorithms_taking(*known)))});
  }
  append(advice, suggestion(option, taken));
  if (advice.empty()) append(advice, suggestion(option, names_of(kAllOptions)));
  advice.push_back(takes);
  if (option.empty()) refuse(option, "an option is missing after the comma", std::move(advice));
  refuse(option, fmt::format("unknown option '{}'", option), std::move(advice));
}

PolicySpec PolicyParser::make() {
  try {
    AnyPolicy policy = make_policy(algorithm_, limit_, options_);
    std::string canonical = canonical_text(policy);
    return {std::string(name_), std::move(canonical), policy};
  } catch (const std::invalid_argument& error) {
    const string_view what = error.what();
    string_view part = text_;
    if (what.starts_with("limit")) part = count_text_;
    if (what.starts_with("window")) part = window_text_;
    for (const Given& given : given_) {
      if (what.starts_with(option_name(given.option))) part = given.text;
    }
    refuse(part, std::string(what), {});
  }
}

void PolicyParser::refuse(string_view part, std::string message,
                          std::vector<std::string> advice) const {
  const auto offset = static_cast<std::size_t>(part.data() - text_.data());
  throw Error(ErrorKind::kUsage,
              Diagnostic{std::move(message),
                         Place{place_(offset + 1), std::string(text_), offset, part.size()},
                         std::move(advice)});
}

}  // namespace ratereplay
