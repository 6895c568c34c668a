// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

/// Functions that take any bytes and throw when the program's promises do not hold for them. Each
/// is a libFuzzer program under the preset `fuzz`, and in the suite a replay of its corpus. What
/// stands in an input is said beside the function.
namespace ratereplay::fuzz {

void reader(std::string_view bytes);
void time(std::string_view bytes);
void policy(std::string_view bytes);
void policy_spec(std::string_view bytes);
void check(std::string_view bytes);
void number(std::string_view bytes);
void result(std::string_view bytes);
void vectors(std::string_view bytes);

struct Target {
  std::string_view name;  ///< of its source file, its corpus folder and its program
  void (*run)(std::string_view bytes);
};

inline constexpr std::array kTargets = {
    Target{"reader", &reader},           Target{"time", &time},      Target{"policy", &policy},
    Target{"policy_spec", &policy_spec}, Target{"check", &check},    Target{"number", &number},
    Target{"result", &result},           Target{"vectors", &vectors}};

inline void require(bool holds, const std::string& promise) {
  if (!holds) throw std::logic_error(promise);
}

/// Takes the first line off `text`, without its line feed.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
  return line;
}

}  // namespace ratereplay::fuzz
