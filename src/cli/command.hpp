// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ratereplay {

struct Session;

enum class Presence { kRequired, kOptional };

/// A command while its options are declared: the one door to CLI11, whose header is slow to
/// compile. A handle; what options are bound to outlives the parse.
///
/// `names` is "-o,--output" or "--output", and for an argument that stands by its place "TRACE".
/// `type` is what the help shows for the value.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_command(const char* name, const char* summary);
  /// The same command, whose further options stand under a heading of their own in the help.
  [[nodiscard]] Command group(const char* heading) const;
  /// The same command, whose further options are refused unless this one is given too.
  [[nodiscard]] Command only_with(const char* option) const;

  /// Takes one value, once; the vector may be given several times.
  /// Value: std::string, std::optional<std::string> or std::vector<std::string>.
  template <class Value>
  void add_option(const char* names, Value& value, const char* type, const std::string& help);
  /// Hands the value to `take`, which may throw.
  void add_option(const char* names, const std::function<void(const std::string&)>& take,
                  const char* type, const std::string& help);
  /// Takes one of these words.
  template <class Value>
  void add_choice(const char* name, Value& value,
                  const std::vector<std::pair<std::string, Value>>& choices, const char* type,
                  const std::string& help) {
    std::vector<std::string> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    const auto choose = [&value, choices](std::size_t i) { value = choices[i].second; };
    add_choice(name, words, choose, type, help);
  }
  void add_switch(const char* names, bool& value, const char* help);
  /// One value, that may be left out if it is std::optional; of a vector, one or more.
  template <class Value>
  void add_argument(const char* name, Value& value, const char* type, const std::string& help,
                    Presence presence = Presence::kRequired);

  /// What the help ends with.
  void set_footer(const std::string& text);
  /// What the program does when this command is chosen.
  void set_action(Session& session, const std::function<ExitCode()>& action);

 private:
  void add_choice(const char* name, const std::vector<std::string>& words,
                  const std::function<void(std::size_t)>& choose, const char* type,
                  const std::string& help);

  /// What all options have in common.
  void finish(CLI::Option* option) const;

  CLI::App* app_;
  const char* group_ = "Options";
  const char* needed_ = nullptr;
};

}  // namespace ratereplay
