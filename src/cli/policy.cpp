// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/command.hpp"
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

void add_policy(Command& program, Session& session) {
  Command command = program.add_command("policy", "What policies there are and what they mean");
  const auto flags = std::make_shared<Flags>();
  const auto add_output = [&](Command& to) {
    to.add_option("-o,--output", flags->output, "FORMAT[=FILE]", "table or json; to FILE if given");
  };

  Command lists = command.add_command("list", "Every policy, with its options");
  add_output(lists);
  lists.set_action(session, [flags] { return list(*flags); });

  Command explains =
      command.add_command("explain", "One policy in sentences and numbers, before any traffic");
  explains.add_argument("POLICY", flags->policy, "", "algorithm:limit/window,option=value");
  explains.add_option("--keys", flags->keys, "N", "Keys to reckon the memory for (1M)");
  add_output(explains);
  explains.set_footer(
      "Examples:\n"
      "  ratereplay policy explain sliding-counter:100/1s\n"
      "  ratereplay policy explain gcra:10/1s,capacity=21 --keys 5M -o json");
  explains.set_action(session, [flags] { return explain_one(*flags); });
}

}  // namespace ratereplay
