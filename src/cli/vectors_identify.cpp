// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/driver_flags.hpp"
#include "cli/reading.hpp"
#include "cli/session.hpp"
#include "cli/trace_paths.hpp"
#include "cli/vectors.hpp"
#include "driver/driver.hpp"
#include "identify/identification_text.hpp"
#include "identify/identify.hpp"
#include "keys/shown_key.hpp"
#include "report/output_choice.hpp"
#include "report/output_file.hpp"
#include "report/valid_utf8.hpp"
#include "spec/count_text.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"
#include "text/visible.hpp"
#include "trace/row_filter.hpp"

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

void require_statuses(const std::string& text) {
  try {
    static_cast<void>(parse_statuses(text));
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, fmt::format("--refused-status {}: not status codes", text),
                error.diagnostic().advice);
  }
}

Question question_of(const IdentifyFlags& flags) {
  if (flags.limits.empty()) {
    throw Error(ErrorKind::kUsage, "identify needs the limit of the limiter",
                {"write --limit 100/1s for 100 in a second"});
  }
  Question question;
  for (const std::string& text : flags.limits) {
    const Limit limit = parse_limit(text);
    const bool known =
        std::any_of(question.limits.begin(), question.limits.end(), [&](const Limit& other) {
          return other.count == limit.count && other.window == limit.window;
        });
    if (!known) question.limits.push_back(limit);
  }
  require_statuses(flags.refused_status);
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

/// The coarsest unit, from milliseconds down, that the durations are whole numbers of, and the
/// window ten at least: what happens inside it tells limiters apart.
Unit unit_of(const Question& question) {
  for (const Unit& unit : kUnits) {
    if (unit.nanos > kMilliseconds.nanos) continue;
    const auto whole = [&](Duration duration) { return duration.count() % unit.nanos == 0; };
    const Duration window = question.limits.front().window;
    if (whole(window) && window.count() / unit.nanos >= 10 &&
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
  driver.open(question.limits.front(), question.capacity, unit);
  Identification found = identify(driver, unit, question);
  driver.finish();
  return found;
}

/// The files that are read, each of them a second time. Error(kUsage) for what can be read once.
std::vector<std::string> files_of(const Reading& reading) {
  std::vector<Diagnostic> warned_by_the_reading;
  const std::vector<std::string> paths = trace_paths(reading.paths, warned_by_the_reading);
  for (const std::string& path : paths) {
    std::error_code fault;
    const auto type = std::filesystem::status(path, fault).type();
    if (path != "-" && (type == std::filesystem::file_type::regular ||
                        type == std::filesystem::file_type::not_found || fault)) {
      continue;
    }
    const std::string name = path == "-" ? "standard input" : fmt::format("'{}'", path);
    throw Error(ErrorKind::kUsage,
                fmt::format("identify reads its files twice, and {} can be read once", name),
                {"write it to a file first"});
  }
  return paths;
}

/// What the rows hold in some fields, as a trace that is keyed by them: every row of `reading` and
/// perhaps more. Nothing when there are no such fields.
std::optional<TraceStore> read_fields(const std::vector<std::string>& paths, const Reading& reading,
                                      std::vector<std::string> fields) {
  ReadOptions options = reading.options;
  options.bad_rows = nullptr;
  options.max_bad_rows = "100%";  // the first reading has complained
  options.order = Order::kSort;
  options.flags.keys = std::move(fields);
  options.flags.missing_key = MissingKey::kOwn;
  options.flags.ip_prefix.reset();
  options.flags.head.reset();
  options.flags.sample_keys.reset();
  try {
    return read_trace(paths, options, nullptr);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return std::nullopt;
  }
}

constexpr const char* kAdmittedField = "lower:admitted";
constexpr const char* kPolicyField = "policy";
constexpr const char* kBytesField = "keyBase64";  // of keys that are not UTF-8

/// What a row of decisions says besides the request.
struct ToldRow {
  std::string admitted;
  std::string policy = std::string(kMissingKey);
  std::string bytes = std::string(kMissingKey);
};

/// For each event what its row says; nothing when the files have no field `admitted`.
std::optional<std::vector<ToldRow>> told_rows(const std::vector<std::string>& paths,
                                              const Reading& reading,
                                              const std::vector<Timeline::Event>& events) {
  // A file that lacks a field is refused before it is read.
  const std::array<std::vector<std::string>, 4> choices{{
      {kAdmittedField, kPolicyField, kBytesField},
      {kAdmittedField, kPolicyField},
      {kAdmittedField, kBytesField},
      {kAdmittedField},
  }};
  std::optional<TraceStore> trace;
  std::size_t choice = 0;
  for (; choice < choices.size(); ++choice) {
    trace = read_fields(paths, reading, choices[choice]);
    if (trace) break;
  }
  if (!trace) return std::nullopt;
  const std::vector<std::string>& fields = choices[choice];
  const Timeline timeline(*trace);
  std::vector<ToldRow> of_key;
  for (const std::string_view held : timeline.keys()) {
    std::vector<std::string> parts = key_parts(held, trace->key);
    ToldRow told;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::string& place = fields[i] == kAdmittedField ? told.admitted
                           : fields[i] == kPolicyField ? told.policy
                                                       : told.bytes;
      place = std::move(parts[i]);
    }
    of_key.push_back(std::move(told));
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> key_of;
  timeline.for_each(
      [&](const Timeline::Event& event) { key_of.emplace_back(event.row, event.key); });
  std::sort(key_of.begin(), key_of.end());
  std::vector<ToldRow> told;
  told.reserve(events.size());
  for (const Timeline::Event& event : events) {
    const auto found = std::lower_bound(key_of.begin(), key_of.end(), std::pair{event.row, 0U});
    if (found == key_of.end() || found->first != event.row) {
      throw Error(ErrorKind::kInput, "the files changed while they were read");
    }
    told.push_back(of_key[found->second]);
  }
  return told;
}

/// True and false in any case, 1 and 0.
bool admitted_of(const ToldRow& told, std::uint64_t row) {
  if (told.admitted == "true" || told.admitted == "1") return true;
  if (told.admitted == "false" || told.admitted == "0") return false;
  throw Error(ErrorKind::kInput,
              fmt::format("row {} does not say whether it was admitted, but '{}'", row + 1,
                          visible(told.admitted)),
              {"the field 'admitted' is true or false, or 1 or 0",
               fmt::format("--where 'lower:admitted != \"{}\"' leaves such rows out",
                           visible(told.admitted))});
}

void require_one_policy(const std::vector<ToldRow>& told) {
  std::vector<std::string> names;
  for (const ToldRow& row : told) {
    const std::string name = visible(row.policy);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() < 2) return;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("these are decisions of {} policies: {}", names.size(), fmt::join(names, ", ")),
      {"identify looks for one limiter",
       fmt::format("add --where 'policy = {}', or another of them", names.front())});
}

/// Keys whose bytes a file tells beside a text that stands for them become those bytes.
void take_bytes(const std::vector<ToldRow>& told, Evidence& evidence) {
  std::map<std::string, std::uint32_t, std::less<>> known;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (told[i].bytes == kMissingKey) continue;
    std::optional<std::string> bytes = parse_base64(told[i].bytes);
    if (!bytes) {
      throw Error(ErrorKind::kInput,
                  fmt::format("row {}: '{}' in {} is not base64", evidence.events[i].row + 1,
                              visible(told[i].bytes), kBytesField));
    }
    const auto [key, fresh] =
        known.try_emplace(*std::move(bytes), static_cast<std::uint32_t>(evidence.keys.size()));
    if (fresh) evidence.keys.push_back(key->first);
    evidence.events[i].key = key->second;
  }
}

/// The rows that were not refused, as their statuses tell, in order.
std::vector<std::uint64_t> rows_by_status(const std::vector<std::string>& paths,
                                          const Reading& reading,
                                          const std::string& refused_status) {
  ReadOptions options = reading.options;
  options.bad_rows = nullptr;
  options.flags.exclude_status = refused_status;
  std::vector<std::uint64_t> rows;
  try {
    const TraceStore trace = read_trace(paths, options, nullptr);
    Timeline(trace).for_each([&](const Timeline::Event& event) { rows.push_back(event.row); });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) {
      throw Error(ErrorKind::kUsage, "no field says what was admitted",
                  {"a decisions file has a field 'admitted' (true or false)",
                   "a log has a status, of which --refused-status names those of refusals"});
    }
    if (error.kind() != ErrorKind::kInput) throw;
    // All of them were refused, unless the files cannot be read any more.
    static_cast<void>(read_trace(paths, reading.options, nullptr));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

Evidence read_evidence(IdentifyFlags& flags, const Session& session, Subject& subject) {
  Reading& reading = flags.reading;
  const std::vector<std::string> paths = files_of(reading);
  reading.options.keep_rows = true;
  reading.refused_advice = "--refused-status 429,503 takes both for refusals";
  const TraceStore trace = read_with_progress(reading, session);
  subject.key = trace.key;
  Evidence evidence;
  const Timeline timeline(trace);
  evidence.keys.assign(timeline.keys().begin(), timeline.keys().end());
  timeline.for_each([&](const Timeline::Event& event) { evidence.events.push_back(event); });
  if (const auto told = told_rows(paths, reading, evidence.events)) {
    require_one_policy(*told);
    for (std::size_t i = 0; i < told->size(); ++i) {
      evidence.admitted.push_back(admitted_of((*told)[i], evidence.events[i].row));
    }
    if (trace.key.size() == 1 && trace.key.front().shown == "key") take_bytes(*told, evidence);
    return evidence;
  }
  const std::vector<std::uint64_t> rows = rows_by_status(paths, reading, flags.refused_status);
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
