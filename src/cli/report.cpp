// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "report/outputs.hpp"
#include "report/result_json_reader.hpp"

namespace ratereplay {
namespace {

struct ReportFlags {
  std::string document;
  std::vector<std::string> outputs;
};

ExitCode report(const ReportFlags& flags, const Session& session) {
  const std::vector<OutputRequest> requests = parse_outputs(flags.outputs);
  for (const OutputRequest& request : requests) {
    if (!request.format->takes_decisions()) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{} cannot be drawn from a stored result: it holds no decisions",
                            request.format->name),
                {fmt::format("replay the trace with `run … -o {}`", request.format->name)});
  }
  write_outputs(requests, read_result(flags.document), use_color(session.color, STDOUT_FILENO));
  return ExitCode::kOk;
}

}  // namespace

void add_report(Command& program, Session& session) {
  const auto flags = std::make_shared<ReportFlags>();
  Command command = program.add_command("report", "Draw a stored result again, without a replay");
  command.add_argument("RESULT", flags->document, "TEXT",
                       "What `run -o json` wrote; - is standard input");
  std::string formats;
  for (const OutputFormat& format : output_formats()) {
    if (format.takes_decisions()) continue;
    formats += fmt::format("{}{}", formats.empty() ? "" : ", ", format.name);
  }
  command.add_option("-o,--output", flags->outputs, "OUTPUT", "FORMAT[=FILE]: " + formats);
  command.set_action(session, [flags, &session] { return report(*flags, session); });
}

}  // namespace ratereplay
