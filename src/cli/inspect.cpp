// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/reading.hpp"
#include "report/inspection.hpp"
#include "report/output_file.hpp"
#include "report/trace_export.hpp"
#include "trace/detect.hpp"
#include "trace/filter_plan.hpp"

namespace ratereplay {
namespace {

/// How much of a trace is looked at without --full: text, shared evenly among the files.
constexpr std::uint64_t kSampleBytes = std::uint64_t{256} << 20;

struct InspectFlags {
  Reading reading;
  std::string output;
  std::string exported;
  bool full = false;
};

/// FORMAT[=FILE], as -o takes it.
struct Output {
  std::string format;
  std::string path;  ///< empty = standard output
};

Output parse_output(const char* flag, const std::string& text,
                    std::initializer_list<std::string_view> formats) {
  const std::size_t equals = std::min(text.find('='), text.size());
  Output output{text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
  if (std::find(formats.begin(), formats.end(), output.format) == formats.end()) {
    throw Error(ErrorKind::kUsage, fmt::format("inspect has no {} {}", flag, output.format),
                {fmt::format("values: {}", fmt::join(formats, ", "))});
  }
  if (equals < text.size() && output.path.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} {} names no file behind '='", flag, text),
                {fmt::format("write {} {} for standard output", flag, output.format)});
  }
  if (output.path == "-") output.path.clear();
  return output;
}

/// The command that replays the trace as it was read here, all guesses pinned.
std::string run_command(const Reading& reading, const TraceStore& trace) {
  std::string command = "ratereplay run";
  for (const std::string& path : reading.paths) command += ' ' + shell_path(path);
  command += ' ' + trace.pin + filter_flags(reading.options.flags);
  if (trace.facts.order != "sort") command += " --order " + trace.facts.order;
  if (reading.options.allow_truncated) command += " --allow-truncated";
  // What `run` allows by itself is 1%.
  const std::uint64_t rows = trace.facts.rows;
  if (trace.facts.bad > rows / 100) {
    command += fmt::format(" --max-bad-rows {}%", trace.facts.bad * 100 / rows + 1);
  }
  return command;
}

void write_export(const Output& output, const TraceStore& trace, const Session& session) {
  const ExportFormat format = output.format == "csv" ? ExportFormat::kCsv : ExportFormat::kNdjson;
  OutputFile file(output.path);
  export_trace(trace, format, file);
  file.finish();
  const std::string name = output.path.empty() ? "-" : shell_path(output.path);
  session.note({fmt::format("exported {} requests", trace.facts.requests),
                std::nullopt,
                {fmt::format("ratereplay run {} {}", name, export_pin(trace, format))}});
}

ExitCode inspect(InspectFlags& flags, const Session& session) {
  std::optional<Output> exported;
  if (!flags.exported.empty()) {
    exported = parse_output("--export", flags.exported, {"csv", "ndjson"});
  }
  std::optional<Output> output;
  if (!flags.output.empty()) output = parse_output("-o", flags.output, {"table", "json"});
  if (!output && !(exported && exported->path.empty())) output = Output{"table", {}};
  if (output && exported && output->path == exported->path) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("-o {} and --export {} go to the same place", output->format, exported->format),
        {fmt::format("name a file, as in --export {}=FILE", exported->format)});
  }
  for (const std::optional<Output>& written : {output, exported}) {
    if (written && !written->path.empty()) flags.reading.outputs.push_back(written->path);
  }
  ReadOptions& options = flags.reading.options;
  options.digests = output && output->format == "json";
  options.keep_rows = exported.has_value();
  if (!flags.full && !exported) {
    options.sample_bytes = kSampleBytes;
  }

  TraceStore trace = read_with_progress(flags.reading, session);
  if (exported) write_export(*exported, trace, session);
  if (!output) return ExitCode::kOk;
  count_shared_stamps(trace, flags.reading.options.threads);
  Inspection inspection;
  inspection.trace = trace.facts;
  inspection.sampled_bytes = trace.sampled_bytes;
  for (const KeyCandidate& candidate : trace.candidates) {
    const auto& key = trace.facts.key;
    inspection.candidates.push_back(
        {candidate.field, candidate.distinct, candidate.rows,
         std::find(key.begin(), key.end(), candidate.field) != key.end()});
  }
  inspection.run = run_command(flags.reading, trace);

  OutputFile file(output->path);
  file.write(output->format == "json" ? inspection_json(inspection) : inspection_table(inspection));
  file.finish();
  return ExitCode::kOk;
}

}  // namespace

void add_inspect(Command& program, Session& session) {
  const auto flags = std::make_shared<InspectFlags>();
  Command command =
      program.add_command("inspect", "What is in this trace, and which flags pin how it is read?");
  add_reading(command, flags->reading);
  // It is there to show bad rows, so it does not stop at them.
  flags->reading.options.max_bad_rows = "100%";
  command.add_option("-o,--output", flags->output, "OUTPUT",
                     "table or json, with =FILE for a file");
  command.add_option(
      "--export", flags->exported, "FORMAT[=FILE]",
      "csv or ndjson, with =FILE for a file: every request as time in ns, key and cost");
  command.add_switch("--full", flags->full, "Read all of it, not only the first 256 MiB of text");
  command.set_action(session, [flags, &session] { return inspect(*flags, session); });
}

}  // namespace ratereplay
