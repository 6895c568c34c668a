// SPDX-License-Identifier: Apache-2.0
#include "cli/app.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "interrupt.hpp"
#include "report/output_file.hpp"
#include "text/nearest.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

/// In the order of the help.
constexpr std::array kCommands{&add_run,    &add_inspect,  &add_report, &add_vectors,
                               &add_policy, &add_generate, &add_schema};

constexpr const char* kDescription =
    "What would these rate limits have done to this traffic?\n"
    "Replays a trace of requests through rate-limit policies, offline and exactly.";

/// The command that was chosen, or the program itself.
const CLI::App& chosen(const CLI::App& program) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

/// "ratereplay policy explain"
std::string full_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return command.get_name();
  return full_name(*command.get_parent()) + ' ' + command.get_name();
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
      for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
    }
  }
  return flags;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

[[noreturn]] void refuse(const CLI::App& command, std::string message,
                         std::optional<std::string> advice = std::nullopt) {
  std::vector<std::string> lines;
  if (advice) lines.push_back(*std::move(advice));
  lines.push_back(fmt::format("see: {} --help", full_name(command)));
  throw Error(ErrorKind::kUsage, std::move(message), std::move(lines));
}

/// An argument that no command took: a flag or a command misspelt, or one argument too many.
[[noreturn]] void refuse_extra(const CLI::App& command, std::string_view extra) {
  const bool flag = extra.size() > 1 && extra.front() == '-';
  const std::string_view word = flag ? extra.substr(0, extra.find('=')) : extra;
  const std::vector<std::string> names = flag ? flags_of(command) : commands_of(command);
  const std::vector<std::string_view> known(names.begin(), names.end());
  auto advice = suggestion(word, known);
  if (flag) refuse(command, fmt::format("unknown flag '{}'", word), std::move(advice));
  if (names.empty()) refuse(command, fmt::format("'{}' is one argument too many", extra));
  if (!advice) advice = fmt::format("commands: {}", fmt::join(names, ", "));
  refuse(command, fmt::format("unknown command '{}'", word), std::move(advice));
}

/// Turns what CLI11 throws into an Error; its own exit codes (100 and up) never leave the program.
[[noreturn]] void refuse_parse(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = chosen(program);
  if (const auto extras = program.remaining(true); !extras.empty()) {
    refuse_extra(command, extras.front());
  }
  const std::string_view what = error.what();
  if (const auto at = what.find(": At Most 1 required but received "); at != what.npos) {
    refuse(command, fmt::format("'{}' is given more than once", what.substr(0, at)));
  }
  if (const auto at = what.find(": 1 required "); at != what.npos && what.ends_with(" missing")) {
    refuse(command, fmt::format("'{}' needs a value", what.substr(0, at)));
  }
  std::string text(what);
  refuse(command, std::move(text));
}

/// Breaks a line of help between words, so that it goes on below the description.
std::string wrapped(std::string_view line) {
  constexpr std::size_t kColumns = 100;
  constexpr std::size_t kIndent = 30;
  std::string text;
  std::string rest(line);
  while (visible_width(rest) > kColumns) {
    std::size_t cut = rest.npos;
    for (std::size_t at = rest.find(' ', kIndent);
         at != rest.npos && visible_width(rest.substr(0, at)) <= kColumns;
         at = rest.find(' ', at + 1)) {
      cut = at;
    }
    if (cut == rest.npos) break;
    text += rest.substr(0, cut) + '\n';
    rest.replace(0, cut + 1, kIndent, ' ');
  }
  return text + rest;
}

/// The help of the chosen command: within 100 columns, never two empty lines, one line feed at its
/// end.
std::string help_text(const CLI::App& program) {
  const std::string help = program.help();
  std::string text;
  std::size_t empty = 0;
  for (std::size_t from = 0; from < help.size();) {
    const std::size_t end = std::min(help.find('\n', from), help.size());
    const std::string_view line = std::string_view(help).substr(from, end - from);
    from = end + 1;
    empty = line.empty() ? empty + 1 : 0;
    if (empty < 2) text += wrapped(line) + '\n';
  }
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
}

ExitCode print(std::string_view text) {
  OutputFile out("-");
  out.write(text);
  out.finish();
  return ExitCode::kOk;
}

void configure(CLI::App& program, Session& session) {
  program.set_version_flag("-V,--version", "ratereplay " RATEREPLAY_VERSION);
  // Every command inherits these.
  program.require_subcommand(0, 1);
  program.fallthrough();
  Command command(program);
  command.add_choice(
      "--color", session.color,
      {{"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}},
      "WHEN", "Colour in messages and tables: auto, always or never");
  command.add_switch("-q,--quiet", session.quiet, "No notes, warnings or progress");
  command.set_footer(
      "Exit codes: 0 done, 1 the answer is no, 2 usage, 3 input, 4 output, 70 a fault here,\n"
      "130 interrupted. `ratereplay COMMAND --help` says more.");
  for (const AddCommand add : kCommands) add(command, session);
}

ExitCode run(Session& session) {
  CLI::App program{kDescription, "ratereplay"};
  configure(program, session);
  try {
    std::vector<std::string> reversed(session.arguments.rbegin(), session.arguments.rend());
    program.parse(reversed);
  } catch (const CLI::CallForVersion& version) {
    return print(fmt::format("{}\n", version.what()));
  } catch (const CLI::Success&) {
    return print(help_text(program));
  } catch (const CLI::ParseError& error) {
    refuse_parse(program, error);
  }
  if (session.action) return session.action();
  const CLI::App& command = chosen(program);
  if (&command == &program) {
    std::fputs(help_text(program).c_str(), stderr);
    return ExitCode::kUsage;
  }
  refuse(command, fmt::format("'{}' needs a command", command.get_name()),
         fmt::format("commands: {}", fmt::join(commands_of(command), ", ")));
}

ExitCode fault(const Session& session, std::string_view what) {
  print_message(Severity::kError,
                {fmt::format("a fault in ratereplay itself: {}", what),
                 std::nullopt,
                 {"please report it with the command line that led to it"}},
                session.color);
  return ExitCode::kFault;
}

}  // namespace

int run_program(int argc, const char* const* argv) noexcept {
  catch_interrupts();
  Session session;
  ExitCode code = ExitCode::kFault;
  try {
    session.arguments.assign(argv + std::min(argc, 1), argv + argc);
    code = run(session);
  } catch (const Error& error) {
    print_message(Severity::kError, error.diagnostic(), session.color);
    code = exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    code = fault(session, "out of memory");
  } catch (const std::exception& error) {
    code = fault(session, error.what());
  }
  return static_cast<int>(code);
}

}  // namespace ratereplay
