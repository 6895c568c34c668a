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
#include "cli/driver_flags.hpp"
#include "cli/reading.hpp"
#include "cli/session.hpp"
#include "cli/vectors.hpp"
#include "driver/driver.hpp"
#include "identify/identification_text.hpp"
#include "identify/identify.hpp"
#include "report/output_choice.hpp"
#include "report/output_file.hpp"
#include "spec/count_text.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

struct IdentifyFlags {
  Reading reading;
  std::vector<std::string> limits;
  std::vector<std::string> clocks;
  std::optional<std::string> capacity;
  std::string driver;
  Duration driver_timeout = kDriverTimeout;
  bool unit_costs = false;
  std::string refused_status = "429";
  std::optional<std::string> nearest;
  std::vector<std::string> outputs;
};

constexpr std::array<std::string_view, 2> kFormats{"table", "json"};

Limit parse_limit(const std::string& text) {
  // The grammar of a policy without options.
  return limit_of(parse_policy(std::string(kPolicyNames.front()) + ':' + text, "--limit").policy);
}

Question question_of(const IdentifyFlags& flags) {
  if (flags.limits.empty()) {
    throw Error(ErrorKind::kUsage, "identify needs the limit of the limiter",
                {"write --limit 100/1s for 100 in a second"});
  }
  Question question;
  for (const std::string& text : flags.limits) question.limits.push_back(parse_limit(text));
  if (flags.capacity) {
    const std::uint64_t capacity = need_count("--capacity", *flags.capacity);
    if (capacity == 0) throw Error(ErrorKind::kUsage, "--capacity 0: it is 1 at least");
    question.capacity = static_cast<std::int64_t>(capacity);
  }
  for (const std::string& text : flags.clocks) {
    question.clocks.push_back(need_duration("--clock", text));
  }
  question.unit_costs = flags.unit_costs;
  question.threads = flags.reading.options.threads;
  return question;
}

/// The coarsest unit, from milliseconds down, that the durations are whole numbers of.
Unit unit_of(const Question& question) {
  for (const Unit& unit : kUnits) {
    if (unit.nanos > kMilliseconds.nanos) continue;
    const auto whole = [&](Duration duration) { return duration.count() % unit.nanos == 0; };
    if (whole(question.limits.front().window) &&
        std::all_of(question.clocks.begin(), question.clocks.end(), whole)) {
      return unit;
    }
  }
  return kUnits.back();
}

Identification ask(const IdentifyFlags& flags, const Question& question) {
  if (question.limits.size() > 1) {
    throw Error(ErrorKind::kUsage, "a driver is asked for one limit at a time",
                {"give one --limit: the program is told it"});
  }
  const Unit unit = unit_of(question);
  Driver driver(flags.driver, flags.driver_timeout);
  driver.open(question.limits.front(), unit);
  return identify(driver, unit, question);
}

/// The rows that the options leave, in order; the files could be read before without
/// `options.where` and the like. Error(kUsage) when they name a field that is not there.
std::vector<std::uint64_t> rows_left(const std::vector<std::string>& paths,
                                     const ReadOptions& options) {
  std::vector<std::uint64_t> rows;
  try {
    const TraceStore trace = read_trace(paths, options, nullptr);
    Timeline(trace).for_each([&](const Timeline::Event& event) { rows.push_back(event.row); });
  } catch (const Error& error) {
    // No row is left.
    if (error.kind() != ErrorKind::kInput) throw;
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// The rows that were admitted, from reading the same files again without the others. What a file
/// says of them is a field `admitted`, else a status.
std::vector<std::uint64_t> admitted_rows(const Reading& reading,
                                         const std::string& refused_status) {
  ReadOptions options = reading.options;
  options.bad_rows = nullptr;
  options.flags.where.emplace_back("admitted = true");
  try {
    return rows_left(reading.paths, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
  }
  options.flags.where.pop_back();
  options.flags.exclude_status = refused_status;
  try {
    return rows_left(reading.paths, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    throw Error(ErrorKind::kUsage, "no field says what was admitted",
                {"a decisions file has a field 'admitted' (true or false), a log has a status",
                 error.diagnostic().message});
  }
}

Evidence read_evidence(IdentifyFlags& flags, const Session& session, Subject& subject) {
  Reading& reading = flags.reading;
  if (std::find(reading.paths.begin(), reading.paths.end(), "-") != reading.paths.end()) {
    throw Error(ErrorKind::kUsage, "identify reads its files twice, and standard input can be once",
                {"write it to a file first"});
  }
  reading.options.keep_rows = true;
  const TraceStore trace = read_with_progress(reading, session);
  subject.key = trace.key;
  Evidence evidence;
  const Timeline timeline(trace);
  evidence.keys = timeline.keys();
  timeline.for_each([&](const Timeline::Event& event) { evidence.events.push_back(event); });
  const std::vector<std::uint64_t> rows = admitted_rows(reading, flags.refused_status);
  for (const Timeline::Event& event : evidence.events) {
    evidence.admitted.push_back(std::binary_search(rows.begin(), rows.end(), event.row));
  }
  return evidence;
}

ExitCode identify_limiter(IdentifyFlags& flags, const Session& session) {
  std::vector<OutputChoice> outputs = parse_output_choices(flags.outputs, kFormats);
  add_default_output(outputs);
  const Question question = question_of(flags);
  if (flags.driver.empty() == flags.reading.paths.empty()) {
    throw Error(ErrorKind::kUsage, "identify needs decisions: from files, or from a driver",
                {"write ratereplay vectors identify --limit 100/1s decisions.csv",
                 "or ratereplay vectors identify --limit 100/1s --driver 'node limiter.mjs'"});
  }
  for (const OutputChoice& output : outputs) {
    if (!output.path.empty()) flags.reading.outputs.push_back(output.path);
  }
  Subject subject;
  if (flags.nearest) subject.nearest = need_count("--nearest", *flags.nearest);
  Identification found;
  if (flags.driver.empty()) {
    subject.rows = true;
    subject.name = fmt::format("{}", fmt::join(flags.reading.paths, ", "));
    found = identify(read_evidence(flags, session, subject), question);
  } else {
    subject.name = "driver: " + flags.driver;
    found = ask(flags, question);
  }
  for (const OutputChoice& output : outputs) {
    const bool color = output.path.empty() && use_color(session.color, STDOUT_FILENO);
    OutputFile file(output.path);
    file.write(output.format == 0 ? identification_table(found, subject, color)
                                  : identification_json(found, subject));
    file.finish();
  }
  return found.consistent() > 0 ? ExitCode::kOk : ExitCode::kNegative;
}

}  // namespace

void add_vectors_identify(Command& vectors, Session& session) {
  const auto flags = std::make_shared<IdentifyFlags>();
  Command command = vectors.add_command("identify", "Which of the variants is this limiter?");
  command.add_argument("TRACE", flags->reading.paths, "",
                       "Files of decisions: with a field 'admitted', or logs with a status",
                       Presence::kOptional);
  command.add_option("--limit", flags->limits, "LIMIT/WINDOW",
                     "What the limiter is set to; of files several may be tried");
  command.add_option("--capacity", flags->capacity, "UNITS",
                     "Capacity, if it is a bucket (found out with a driver, else the limit)");
  command.add_option("--clock", flags->clocks, "DURATION",
                     "Try limiters too that see time in such steps");
  command.add_option("--driver", flags->driver, "COMMAND",
                     "Ask this program, over its standard input and output");
  add_driver_timeout(command, flags->driver_timeout);
  command.add_switch("--unit-costs", flags->unit_costs, "Ask the driver for costs of 1 alone");
  command.add_option("--refused-status", flags->refused_status, "CODES",
                     "Statuses of refused requests, where no field 'admitted' tells (429)");
  command.add_option("--nearest", flags->nearest, "N",
                     "How many of the variants that are ruled out to list (5)");
  command.add_option("-o,--output", flags->outputs, "OUTPUT", "FORMAT[=FILE]: table, json");
  Command reading = command.group("Of files");
  add_reading_flags(reading, flags->reading);
  command.set_footer(
      "Exit code 1 when no variant is consistent with every decision.\n"
      "\nExamples:\n"
      "  ratereplay vectors identify --limit 5/1s --driver 'node limiter.mjs'\n"
      "  ratereplay vectors identify --limit 100/1m access.log -k ip");
  command.set_action(session, [flags, &session] { return identify_limiter(*flags, session); });
}

}  // namespace ratereplay
