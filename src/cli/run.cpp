// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <variant>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/driver_flags.hpp"
#include "cli/reading.hpp"
#include "cli/run_policies.hpp"
#include "replay/drivers.hpp"
#include "replay/engine.hpp"
#include "replay/ordered.hpp"
#include "report/checks.hpp"
#include "report/outputs.hpp"
#include "spec/count_text.hpp"
#include "spec/duration_text.hpp"
#include "spec/policy_spec.hpp"
#include "text/nearest.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

struct RunFlags {
  Reading reading;
  std::vector<std::string> policies;
  std::string policy_file;
  std::vector<std::string> outputs;
  std::vector<std::string> checks;
  std::string reference;
  std::string tick;
  std::string bucket;
  std::optional<std::string> top;
  ReplayOptions replay;
  std::optional<std::string> project_keys;
  bool stats = false;
};

/// The command line without what cannot change a result.
std::vector<std::string> canonical_command(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 7> kWithValue = {
      "-o", "--output", "--threads", "--max-memory", "--color", "--bad-rows", "--driver-timeout"};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-q" || argument == "--quiet" || argument == "--stats") continue;
    const bool attached = argument.starts_with("-o") && argument.size() > 2;
    const bool joined = std::any_of(kWithValue.begin(), kWithValue.end(), [&](auto flag) {
      return argument.starts_with(std::string(flag) + '=');
    });
    if (attached || joined) continue;
    if (std::find(kWithValue.begin(), kWithValue.end(), argument) != kWithValue.end()) {
      ++i;
      continue;
    }
    kept.push_back(argument);
  }
  return kept;
}

/// Every decision output of the run.
class DecisionOutputs {
 public:
  DecisionOutputs(const std::vector<OutputRequest>& requests,
                  const std::vector<std::string>& labels) {
    for (const OutputRequest& request : requests) {
      if (!request.format->takes_decisions()) continue;
      files_.emplace_back(request.path);
      sinks_.push_back(request.format->open(files_.back(), labels));
    }
  }

  [[nodiscard]] bool empty() const noexcept { return sinks_.empty(); }
  [[nodiscard]] std::vector<DecisionSink*> sinks() const {
    std::vector<DecisionSink*> sinks;
    for (const std::unique_ptr<DecisionSink>& sink : sinks_) sinks.push_back(sink.get());
    return sinks;
  }
  void finish() {
    for (OutputFile& file : files_) file.finish();
  }

 private:
  std::list<OutputFile> files_;
  std::vector<std::unique_ptr<DecisionSink>> sinks_;
};

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// An answer that no output shows is told, also with --quiet.
void tell_failed_checks(std::span<const OutputRequest> requests, const Result& result,
                        const Session& session) {
  const bool shown = std::ranges::any_of(
      requests, [](const OutputRequest& request) { return request.format->shows_checks; });
  if (shown) return;
  for (const PolicyResult& policy : result.policies) {
    for (const CheckResult& check : policy.checks) {
      if (check.passed) continue;
      print_message(Severity::kError,
                    {fmt::format("{} does not hold for {}: {}", check.expression, policy.label(),
                                 check.value.value_or("never or undefined")),
                     std::nullopt,
                     {}},
                    session.color);
    }
  }
}

ExitCode run(RunFlags& flags, const Session& session) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };

  const RunPolicies chosen = run_policies(flags.policies, flags.policy_file, flags.reference);
  const std::vector<PolicySpec>& policies = chosen.specs;
  const std::vector<Check> checks = parse_checks(flags.checks, policies);
  const std::vector<OutputRequest> requests = parse_outputs(flags.outputs);
  for (const OutputRequest& request : requests) {
    if (!request.path.empty()) flags.reading.outputs.push_back(request.path);
  }
  if (!flags.policy_file.empty()) flags.reading.policy_files.push_back(flags.policy_file);
  ReplayOptions& options = flags.replay;
  options.reference = chosen.reference;
  if (!flags.tick.empty()) options.tick = need_duration("--tick", flags.tick);
  if (!flags.bucket.empty()) options.bucket = need_duration("--bucket", flags.bucket);
  if (flags.top) options.top = need_count("--top", *flags.top);
  if (flags.project_keys) options.project_keys = need_count("--project-keys", *flags.project_keys);
  options.threads = flags.reading.options.threads;

  std::vector<std::string> labels;
  for (const PolicySpec& spec : policies) labels.push_back(spec.label());
  require_writable(requests);
  DecisionOutputs decisions(requests, labels);
  const bool in_order = !decisions.empty() || any_driver(policies);
  flags.reading.options.keep_rows = in_order;
  flags.reading.options.digests =
      std::any_of(requests.begin(), requests.end(),
                  [](const OutputRequest& request) { return request.format->shows_digests; });

  const Clock::time_point started = Clock::now();
  TraceStore trace = read_with_progress(flags.reading, session);
  if (flags.policies.empty() && flags.policy_file.empty()) {
    session.note(
        {fmt::format("no -p given: replayed through {}", default_policies()), std::nullopt, {}});
  }
  for (const PolicySpec& spec : policies) {
    if (spec.driver.empty()) continue;
    session.note({fmt::format("{} is told the policy {}", visible(spec.label()),
                              canonical_text(spec.policy)),
                  std::nullopt,
                  {}});
  }
  const double seconds_read = seconds_since(started);

  Result result;
  result.command = canonical_command(session.arguments);
  result.reference = labels[options.reference];
  result.tick = options.tick;
  result.policies = replay(trace, policies, options, !in_order);
  result.trace = trace.facts;
  if (flags.stats) {
    result.stats = RunStats{options.threads, seconds_read, seconds_since(started) - seconds_read,
                            peak_memory()};
  }
  if (any_driver(policies)) {
    replay_drivers(trace, policies, options, result.policies, decisions.sinks());
  } else if (!decisions.empty()) {
    replay_in_order(trace, policies, options.tick, options.threads, decisions.sinks());
  }
  decisions.finish();
  const bool holds = evaluate(checks, result);
  write_outputs(requests, result, use_color(session.color, STDOUT_FILENO));
  tell_failed_checks(requests, result, session);
  return holds ? ExitCode::kOk : ExitCode::kNegative;
}

}  // namespace

void add_run(Command& program, Session& session) {
  const auto flags = std::make_shared<RunFlags>();
  Command command =
      program.add_command("run", "What would these policies have done to this traffic?");
  command.add_option(
      "-p,--policy", flags->policies, "POLICY",
      "ALGORITHM:LIMIT/WINDOW[,OPTION=VALUE]… or driver:COMMAND; several are compared");
  command.add_option("--policies", flags->policy_file, "FILE", "A file of policies, one a line");
  add_reading(command, flags->reading);
  std::string formats;
  for (const OutputFormat& format : output_formats()) {
    formats += fmt::format("{}{}", formats.empty() ? "" : ", ", format.name);
  }
  command.add_option("-o,--output", flags->outputs, "OUTPUT", "FORMAT[=FILE]: " + formats);
  command.add_option("--check", flags->checks, "CHECK",
                     "'[POLICY] METRIC OP VALUE'; exit 1 unless it holds");
  add_driver_timeout(command, flags->replay.driver_timeout);
  command.add_option("--reference", flags->reference, "POLICY",
                     "The policy to compare with (the first sliding-log)");
  command.add_option("--tick", flags->tick, "DURATION", "Resolution of waits (1ms)");
  command.add_option("--top", flags->top, "N", "Refused keys to list (10)");
  command.add_option("--bucket", flags->bucket, "DURATION", "Width of the time buckets");
  command.add_option("--project-keys", flags->project_keys, "N",
                     "Also give the reserved memory at N keys (1M)");
  command.add_switch("--stats", flags->stats, "Also report the simulator's own time and memory");
  command.set_action(session, [flags, &session] { return run(*flags, session); });
}

}  // namespace ratereplay
