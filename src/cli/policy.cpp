// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "error.hpp"
#include "report/explain.hpp"
#include "report/output_file.hpp"
#include "spec/count_text.hpp"
#include "spec/policy_spec.hpp"
#include "text/nearest.hpp"

namespace ratereplay {
namespace {

constexpr std::uint64_t kDefaultKeys = 1'000'000;

struct Flags {
  std::optional<std::string> policy, keys, output;
};

/// `-o table|json[=FILE]`
struct Output {
  bool json = false;
  std::string path;
};

Output read_output(const std::optional<std::string>& text) {
  if (!text) return {};
  const auto equals = text->find('=');
  const std::string_view format = std::string_view(*text).substr(0, equals);
  constexpr std::array<std::string_view, 2> kFormats{"table", "json"};
  if (format != kFormats[0] && format != kFormats[1]) {
    std::vector<std::string> advice;
    if (auto meant = suggestion(format, kFormats)) advice.push_back(*std::move(meant));
    advice.push_back(fmt::format("formats here: {}", fmt::join(kFormats, ", ")));
    throw Error(ErrorKind::kUsage, fmt::format("unknown output format '{}'", format),
                std::move(advice));
  }
  return {format == kFormats[1], equals == text->npos ? "" : text->substr(equals + 1)};
}

ExitCode write(const Output& output, std::string_view text) {
  OutputFile file(output.path);
  file.write(text);
  file.finish();
  return ExitCode::kOk;
}

ExitCode list(const Flags& flags) {
  const Output output = read_output(flags.output);
  return write(output, output.json ? policy_list_json() : policy_list_text());
}

ExitCode explain_one(const Flags& flags) {
  if (!flags.policy) {
    throw Error(
        ErrorKind::kUsage, "'explain' needs a policy",
        {"write ratereplay policy explain gcra:10/1s,capacity=20", "see: ratereplay policy list"});
  }
  const Output output = read_output(flags.output);
  const PolicySpec spec = parse_policy(*flags.policy, "the policy");
  const std::uint64_t keys = flags.keys ? need_count("--keys", *flags.keys) : kDefaultKeys;
  const Explanation made = explain(spec, keys);
  return write(output, output.json ? explanation_json(made, spec.policy) : explanation_text(made));
}

}  // namespace

CLI::App* add_policy(CLI::App& program, Session& session) {
  CLI::App* command =
      program.add_subcommand("policy", "What policies there are and what they mean");
  command->require_subcommand(0, 1);
  command->fallthrough();
  const auto flags = std::make_shared<Flags>();
  const auto add = [&](CLI::App& to, const char* name, std::optional<std::string>& value,
                       const char* type,
                       const char* help) { to.add_option(name, value, help)->type_name(type); };
  const auto add_output = [&](CLI::App& to) {
    add(to, "-o,--output", flags->output, "FORMAT[=FILE]", "table or json; to FILE if given");
  };

  CLI::App* lists = command->add_subcommand("list", "Every policy, with its options");
  lists->fallthrough();
  add_output(*lists);
  lists->callback([&session, flags] { session.action = [flags] { return list(*flags); }; });

  CLI::App* explains =
      command->add_subcommand("explain", "One policy in sentences and numbers, before any traffic");
  explains->fallthrough();
  add(*explains, "POLICY", flags->policy, "", "algorithm:limit/window,option=value");
  add(*explains, "--keys", flags->keys, "N", "Keys to reckon the memory for (1M)");
  add_output(*explains);
  explains->footer(
      "Examples:\n"
      "  ratereplay policy explain sliding-counter:100/1s\n"
      "  ratereplay policy explain gcra:10/1s,capacity=21 --keys 5M -o json");
  explains->callback(
      [&session, flags] { session.action = [flags] { return explain_one(*flags); }; });
  return command;
}

}  // namespace ratereplay
