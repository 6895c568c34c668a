// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/driver_flags.hpp"
#include "cli/session.hpp"
#include "cli/trace_paths.hpp"
#include "cli/vectors.hpp"
#include "driver/driver.hpp"
#include "report/output_choice.hpp"
#include "report/output_file.hpp"
#include "spec/policy_spec.hpp"
#include "text/nearest.hpp"
#include "vectors/answer_fields.hpp"
#include "vectors/policy_decider.hpp"
#include "vectors/vector_file.hpp"
#include "vectors/verdict_text.hpp"
#include "vectors/verify.hpp"

namespace ratereplay {
namespace {

struct VerifyFlags {
  std::vector<std::string> paths;
  std::string policy;
  std::string driver;
  Duration driver_timeout = kDriverTimeout;
  std::optional<std::string> fields;
  std::vector<std::string> outputs;
};

constexpr std::array<std::string_view, 3> kFormats{"table", "json", "junit"};

std::string rendered(std::size_t format, const VerifyReport& report, bool color) {
  if (format == 0) return verify_table(report, color);
  return format == 1 ? verify_json(report) : verify_junit(report);
}

/// The names in a list A,B. Error(kUsage) for one that is none.
std::vector<std::string_view> read_fields(std::string_view text) {
  std::vector<std::string_view> known{"admitted"};
  for (const AnswerField& field : kAnswerFields) known.push_back(field.name);
  std::vector<std::string_view> names;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string_view name = text.substr(from, end - from);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::vector<std::string> advice;
      if (auto meant = suggestion(name, known)) advice.push_back(*std::move(meant));
      advice.push_back(fmt::format("fields: {}", fmt::join(known, ", ")));
      throw Error(ErrorKind::kUsage, fmt::format("--fields: no field is called '{}'", name),
                  std::move(advice));
    }
    names.push_back(name);
    from = end + 1;
  }
  return names;
}

/// Opened with one policy, whichever the file names.
class OnePolicy final : public Decider {
 public:
  OnePolicy(PolicySpec spec, std::unique_ptr<Decider> decider)
      : spec_(std::move(spec)), decider_(std::move(decider)) {}

  void open(const PolicySpec&, Unit unit) override { decider_->open(spec_, unit); }
  Answer decide(const Request& request) override { return decider_->decide(request); }
  void finish() override { decider_->finish(); }
  void set_place(std::string_view place) override { decider_->set_place(place); }
  [[nodiscard]] std::optional<std::string> state(std::string_view key) const override {
    return decider_->state(key);
  }

 private:
  PolicySpec spec_;
  std::unique_ptr<Decider> decider_;
};

/// No output takes the place of a file that is read.
void require_apart(const std::vector<std::string>& paths,
                   const std::vector<OutputChoice>& outputs) {
  for (const OutputChoice& output : outputs) {
    if (!std::filesystem::is_regular_file(output.path)) continue;
    for (const std::string& path : paths) {
      if (!is_same_file(output.path, path)) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' is verified and would be overwritten", output.path),
                  {"name another file"});
    }
  }
}

ExitCode verify_files(const VerifyFlags& flags, const Session& session) {
  std::vector<OutputChoice> outputs = parse_output_choices(flags.outputs, kFormats);
  add_default_output(outputs);
  require_one_stdin(flags.paths);
  require_apart(flags.paths, outputs);
  std::vector<std::string_view> names;
  if (flags.fields) names = read_fields(*flags.fields);
  VerifyReport report;
  std::optional<PolicySpec> spec;
  if (!flags.policy.empty()) spec = parse_policy(flags.policy, "-p");
  report.subject = spec ? spec->canonical : "the policy that each case names";
  std::vector<VectorFile> files;
  for (const std::string& path : flags.paths) {
    files.push_back(read_vectors(path));
    if (flags.fields) keep_fields(files.back(), names);
  }
  std::unique_ptr<Decider> decider;
  if (flags.driver.empty()) {
    decider = std::make_unique<PolicyDecider>();
  } else {
    decider = std::make_unique<Driver>(flags.driver, flags.driver_timeout);
    report.subject = "driver: " + flags.driver;
  }
  if (spec) decider = std::make_unique<OnePolicy>(*std::move(spec), std::move(decider));
  for (std::size_t i = 0; i < files.size(); ++i) {
    report.files.push_back(verify(files[i], flags.paths[i], *decider));
  }
  decider->finish();
  for (const OutputChoice& output : outputs) {
    OutputFile file(output.path);
    file.write(rendered(output.format, report,
                        output.path.empty() && use_color(session.color, STDOUT_FILENO)));
    file.finish();
  }
  return report.agrees() ? ExitCode::kOk : ExitCode::kNegative;
}

}  // namespace

void add_vectors_verify(Command& vectors, Session& session) {
  const auto flags = std::make_shared<VerifyFlags>();
  Command command = vectors.add_command("verify", "Does a limiter answer as the vectors say?");
  command.add_argument("FILE", flags->paths, "", "Vectors, JSON or CSV; - is standard input");
  command.add_option("-p,--policy", flags->policy, "POLICY",
                     "Ask this policy instead of the one that the file names");
  command.add_option(
      "--fields", flags->fields, "A,B",
      "Compare these alone: admitted, remaining, retryAfter, resetAt, fullAt, delay");
  command.add_option("--driver", flags->driver, "COMMAND",
                     "Ask this program, over its standard input and output");
  add_driver_timeout(command, flags->driver_timeout);
  command.add_option("-o,--output", flags->outputs, "OUTPUT", "FORMAT[=FILE]: table, json, junit");
  command.set_footer(
      "Exit code 1 when a step is answered otherwise.\n"
      "\nExamples:\n"
      "  ratereplay vectors verify vectors.json\n"
      "  ratereplay vectors verify vectors.json --fields admitted,retryAfter\n"
      "  ratereplay vectors verify vectors.json -o junit=report.xml\n"
      "  ratereplay vectors verify vectors.json --driver 'node limiter.mjs'");
  command.set_action(session, [flags, &session] { return verify_files(*flags, session); });
}

}  // namespace ratereplay
