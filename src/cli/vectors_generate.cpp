// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/reading.hpp"
#include "cli/session.hpp"
#include "cli/vectors.hpp"
#include "keys/shown_key.hpp"
#include "keys/timeline.hpp"
#include "report/output_choice.hpp"
#include "report/output_file.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"
#include "spec/policy_spec.hpp"
#include "text/nearest.hpp"
#include "vectors/from_trace.hpp"
#include "vectors/generate.hpp"
#include "vectors/generate_text.hpp"
#include "vectors/vector_file.hpp"

namespace ratereplay {
namespace {

struct GenerateFlags {
  std::vector<std::string> policies;
  Reading reading;
  std::optional<Unit> unit;
  std::vector<std::string> without;
  std::vector<std::string> outputs;
};

constexpr std::array<std::string_view, 3> kFormats{"json", "csv", "table"};

void require_whole(const char* what, Duration duration, Unit unit) {
  if (duration.count() % unit.nanos == 0) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--unit {}: the {} of {} is not whole in it", unit.name, what,
                          duration_text(duration)),
              {"take a finer unit, or leave --unit out"});
}

/// The unit asked for, which window and clock of each policy must be whole in, or the coarsest in
/// which they are.
Unit unit_of(const GenerateFlags& flags, const std::vector<PolicySpec>& specs) {
  Unit unit = flags.unit.value_or(kMilliseconds);
  for (const PolicySpec& spec : specs) {
    if (flags.unit) {
      require_whole("window", limit_of(spec.policy).window, unit);
      require_whole("clock", options_of(spec.policy).clock.value_or(Duration{0}), unit);
    } else if (const Unit own = unit_for(spec.policy); own.nanos < unit.nanos) {
      unit = own;
    }
  }
  return unit;
}

/// The coarsest unit, up to `most`, that every instant is whole in.
Unit unit_of(const Timeline& timeline, Unit most) {
  timeline.for_each([&](const Timeline::Event& event) { most = fitting(most, event.at); });
  return most;
}

/// What lies between two units is taken as the earlier.
std::vector<TraceKey> keys_of(const Timeline& timeline, const std::vector<KeyPart>& parts,
                              Unit unit) {
  std::vector<TraceKey> keys;
  for (const std::string_view key : timeline.keys()) keys.push_back({shown_key(key, parts), {}});
  timeline.for_each([&](const Timeline::Event& event) {
    const auto at = static_cast<std::int64_t>(floor_div(event.at, unit.nanos));
    keys[event.key].events.push_back({at, event.cost, event.row + 1});
  });
  return keys;
}

GeneratedVectors from_trace(GenerateFlags& flags, const std::vector<PolicySpec>& specs, Unit unit,
                            const Session& session) {
  flags.reading.options.keep_rows = true;
  const TraceStore trace = read_with_progress(flags.reading, session);
  const Timeline timeline(trace);
  GeneratedVectors made;
  made.file.unit = flags.unit ? unit : unit_of(timeline, unit);
  const std::vector<TraceKey> keys = keys_of(timeline, trace.key, made.file.unit);
  for (const PolicySpec& spec : specs) {
    for (VectorCase& one : cases_from_trace(spec, made.file.unit, keys)) {
      made.file.cases.push_back(std::move(one));
    }
  }
  if (made.file.cases.empty()) {
    throw Error(ErrorKind::kInput, "the trace shows nothing of these policies",
                {"no request is refused, and no other policy would refuse one"});
  }
  return made;
}

GeneratedVectors from_policies(const GenerateFlags& flags, const std::vector<PolicySpec>& specs,
                               Unit unit) {
  GeneratedVectors made;
  made.file.unit = unit;
  for (const PolicySpec& spec : specs) {
    made.coverage.push_back(generate_cases(spec, made.file, flags.without));
  }
  return made;
}

/// Cases are found by their policy, whatever it is called.
void require_distinct_policies(const std::vector<PolicySpec>& specs) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (specs[i].canonical != specs[j].canonical) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("policies {} and {} are both {}", j + 1, i + 1, specs[i].canonical),
                  {"give it once: the cases of a policy do not depend on its name"});
    }
  }
}

void check_without(const GenerateFlags& flags) {
  if (flags.without.empty()) return;
  if (!flags.reading.paths.empty()) {
    throw Error(ErrorKind::kUsage, "--without is for the cases of a policy, not of a trace",
                {"leave --without or --from out"});
  }
  const std::vector<std::string_view> names = scripted_names();
  for (const std::string& name : flags.without) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::vector<std::string> advice;
    if (auto meant = suggestion(name, names)) advice.push_back(*std::move(meant));
    advice.push_back(fmt::format("cases: {}", fmt::join(names, "; ")));
    throw Error(ErrorKind::kUsage, fmt::format("--without: no case is called '{}'", name),
                std::move(advice));
  }
}

std::string rendered(std::size_t format, const GeneratedVectors& made, bool color) {
  if (format == 0) return vectors_json(made.file);
  return format == 1 ? vectors_csv(made.file) : generated_table(made, color);
}

ExitCode generate_vectors(GenerateFlags& flags, const Session& session) {
  std::vector<OutputChoice> outputs = parse_output_choices(flags.outputs, kFormats);
  if (outputs.empty()) add_default_output(outputs);
  std::vector<PolicySpec> specs;
  for (std::size_t i = 0; i < flags.policies.size(); ++i) {
    specs.push_back(parse_policy(flags.policies[i], fmt::format("policy {}", i + 1)));
  }
  require_distinct_policies(specs);
  check_without(flags);
  const Unit unit = unit_of(flags, specs);
  for (const OutputChoice& output : outputs) {
    if (!output.path.empty()) flags.reading.outputs.push_back(output.path);
  }
  const GeneratedVectors made = flags.reading.paths.empty()
                                    ? from_policies(flags, specs, unit)
                                    : from_trace(flags, specs, unit, session);
  for (const OutputChoice& output : outputs) {
    OutputFile file(output.path);
    file.write(rendered(output.format, made,
                        output.path.empty() && use_color(session.color, STDOUT_FILENO)));
    file.finish();
  }
  return ExitCode::kOk;
}

}  // namespace

void add_vectors_generate(Command& vectors, Session& session) {
  const auto flags = std::make_shared<GenerateFlags>();
  Command command =
      vectors.add_command("generate", "Vectors that pin a policy and tell it from its variants");
  command.add_argument("POLICY", flags->policies, "",
                       "ALGORITHM:LIMIT/WINDOW[,OPTION=VALUE]…; several go to one file");
  std::vector<std::pair<std::string, std::optional<Unit>>> units;
  for (const Unit& unit : kUnits) units.emplace_back(unit.name, unit);
  command.add_choice("--unit", flags->unit, units, "UNIT",
                     "What times are counted in: s, ms, us, ns (the coarsest from ms down)");
  command.add_option("--without", flags->without, "CASE",
                     "Leave this case out: what a limiter cannot be asked, such as 'zero cost'");
  command.add_option("-o,--output", flags->outputs, "OUTPUT",
                     "FORMAT[=FILE]: json, csv, table (what each case pins)");
  Command from = command.group("From a trace");
  from.add_option("--from", flags->reading.paths, "TRACE",
                  "Take the requests from this trace: few of them for each behaviour");
  Command of_trace = from.only_with("--from");
  add_reading_flags(of_trace, flags->reading);
  command.set_footer(
      "Examples:\n"
      "  ratereplay vectors generate sliding-counter:5/1s -o json=vectors.json\n"
      "  ratereplay vectors generate gcra:10/1s,capacity=20 -o table\n"
      "  ratereplay vectors generate sliding-log:30/1m --from access.log");
  command.set_action(session, [flags, &session] { return generate_vectors(*flags, session); });
}

}  // namespace ratereplay
