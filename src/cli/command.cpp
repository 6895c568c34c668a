// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <type_traits>

#include "cli/session.hpp"

namespace ratereplay {

void Command::finish(CLI::Option* option) const {
  // A repeatable option with extra arguments would take every word behind it.
  option->group(group_)->allow_extra_args(false);
  if (needed_ != nullptr) option->needs(app_->get_option(needed_));
}

Command Command::add_command(const char* name, const char* summary) {
  return Command(*app_->add_subcommand(name, summary));
}

Command Command::group(const char* heading) const {
  Command grouped = *this;
  grouped.group_ = heading;
  return grouped;
}

Command Command::only_with(const char* option) const {
  Command bound = *this;
  bound.needed_ = option;
  return bound;
}

template <class Value>
void Command::add_option(const char* names, Value& value, const char* type,
                         const std::string& help) {
  finish(app_->add_option(names, value, help)->type_name(type));
}
template void Command::add_option(const char*, std::string&, const char*, const std::string&);
template void Command::add_option(const char*, std::optional<std::string>&, const char*,
                                  const std::string&);
template void Command::add_option(const char*, std::vector<std::string>&, const char*,
                                  const std::string&);

void Command::add_option(const char* names, const std::function<void(const std::string&)>& take,
                         const char* type, const std::string& help) {
  finish(app_->add_option_function(names, take, help)->type_name(type));
}

void Command::add_choice(const char* name, const std::vector<std::string>& words,
                         const std::function<void(std::size_t)>& choose, const char* type,
                         const std::string& help) {
  const auto take = [name, words, choose](const std::string& word) {
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) {
      throw Error(ErrorKind::kUsage, fmt::format("unknown value '{}' of {}", word, name),
                  {fmt::format("values: {}", fmt::join(words, ", "))});
    }
    choose(static_cast<std::size_t>(at - words.begin()));
  };
  add_option(name, std::function<void(const std::string&)>(take), type, help);
}

void Command::add_switch(const char* names, bool& value, const char* help) {
  finish(app_->add_flag(names, value, help));
}

template <class Value>
void Command::add_argument(const char* name, Value& value, const char* type,
                           const std::string& help, Presence presence) {
  constexpr bool kOptional = std::is_same_v<Value, std::optional<std::string>>;
  const bool required = !kOptional && presence == Presence::kRequired;
  app_->add_option(name, value, help)->type_name(type)->required(required);
}
template void Command::add_argument(const char*, std::string&, const char*, const std::string&,
                                    Presence);
template void Command::add_argument(const char*, std::optional<std::string>&, const char*,
                                    const std::string&, Presence);
template void Command::add_argument(const char*, std::vector<std::string>&, const char*,
                                    const std::string&, Presence);

void Command::set_footer(const std::string& text) { app_->footer(text); }

void Command::set_action(Session& session, const std::function<ExitCode()>& action) {
  app_->callback([&session, action] { session.action = action; });
}

}  // namespace ratereplay
