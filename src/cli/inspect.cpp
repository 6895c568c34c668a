// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/reading.hpp"
#include "report/inspection.hpp"
#include "report/output_file.hpp"
#include "trace/detect.hpp"

namespace ratereplay {
namespace {

struct InspectFlags {
  Reading reading;
  std::string output = "table";
};

ExitCode inspect(InspectFlags& flags, const Session& session) {
  const std::size_t equals = std::min(flags.output.find('='), flags.output.size());
  const std::string format = flags.output.substr(0, equals);
  if (format != "table" && format != "json") {
    throw Error(ErrorKind::kUsage, fmt::format("inspect has no output '{}'", format),
                {"outputs: table, json"});
  }
  const std::string path =
      equals < flags.output.size() ? flags.output.substr(equals + 1) : std::string();
  flags.reading.options.digests = format == "json";

  const TraceStore trace = read_with_progress(flags.reading, session);
  Inspection inspection;
  inspection.trace = trace.facts;
  for (const KeyCandidate& candidate : trace.candidates) {
    const auto& key = trace.facts.key;
    inspection.candidates.push_back(
        {candidate.field, candidate.distinct, candidate.rows,
         std::find(key.begin(), key.end(), candidate.field) != key.end()});
  }
  inspection.run = "ratereplay run";
  for (const std::string& file : flags.reading.paths) {
    inspection.run += ' ' + shell_word(file);
  }
  inspection.run += ' ' + trace.pin;

  OutputFile file(path);
  file.write(format == "json" ? inspection_json(inspection) : inspection_table(inspection));
  file.finish();
  return ExitCode::kOk;
}

}  // namespace

CLI::App* add_inspect(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* const command = program.add_subcommand(
      "inspect", "What is in this trace, and which flags pin how it is read?");
  add_reading(*command, flags->reading);
  // It is there to show bad rows, so it does not stop at them.
  flags->reading.options.max_bad_rows = "100%";
  command->add_option("-o,--output", flags->output, "table or json, with =FILE for a file")
      ->type_name("OUTPUT")
      ->allow_extra_args(false);
  command->callback([flags, &session] {
    session.action = [flags, &session] { return inspect(*flags, session); };
  });
  return command;
}

}  // namespace ratereplay
