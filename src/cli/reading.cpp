// SPDX-License-Identifier: Apache-2.0
#include "cli/reading.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>
#include <variant>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/selection.hpp"
#include "cli/trace_paths.hpp"
#include "report/number_text.hpp"
#include "report/output_file.hpp"
#include "spec/count_text.hpp"
#include "text/percent.hpp"
#include "trace/filter_plan.hpp"
#include "trace/formats.hpp"

namespace ratereplay {
namespace {

constexpr unsigned kMaxThreads = 256;
// Those of which every day can be held.
constexpr unsigned kFirstYear = 1678;
constexpr unsigned kLastYear = 2261;

std::uint64_t number_between(const char* flag, const std::string& text, std::uint64_t least,
                             std::uint64_t greatest) {
  const auto number = read_count(text);
  const auto* const value = std::get_if<std::int64_t>(&number);
  if (value != nullptr && static_cast<std::uint64_t>(*value) >= least &&
      static_cast<std::uint64_t>(*value) <= greatest) {
    return static_cast<std::uint64_t>(*value);
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: from {} to {}", flag, text, least, greatest));
}

std::string format_names() {
  std::string names = "auto";
  for (const Format* format : formats()) names += fmt::format(", {}", format->name());
  for (const FormatFamily& family : format_families()) {
    names += fmt::format(", {}:{}", family.name, family.parameter);
  }
  return names;
}

/// One warning per kind of bad row, the first place of each shown.
void warn_bad_rows(const TraceFacts& facts, const std::string& allowed, const Session& session) {
  for (const BadKindCount& kind : facts.bad_kinds) {
    const BadPlace& first = kind.first.front();
    Diagnostic warning;
    warning.message = fmt::format("{} of {} rows could not be read ({}; --max-bad-rows {})",
                                  grouped_text(kind.count), grouped_text(facts.rows),
                                  exact_percent(kind.count, facts.rows), allowed);
    warning.place = Place{fmt::format("{}:{}:{}  {}: {}", first.file, first.line, first.column,
                                      kind.kind, first.reason)};
    if (kind.count > 1) {
      std::string lines;
      bool alike = true;
      for (std::size_t i = 1; i < kind.first.size(); ++i) {
        const BadPlace& place = kind.first[i];
        if (i > 1) lines += ", ";
        if (place.file != kind.first[i - 1].file) lines += place.file + ':';
        lines += fmt::to_string(place.line);
        if (place.reason == kind.first[i - 1].reason) continue;
        alike = false;
        lines += fmt::format(" ({})", place.reason);
      }
      warning.advice = {fmt::format("{} more {}: line{} {}{}", grouped_text(kind.count - 1),
                                    alike ? "like this" : "of this kind",
                                    kind.count == 2 ? "" : "s", lines,
                                    kind.count > kind.first.size() ? ", …" : "")};
    }
    session.warn(warning);
  }
}

/// The file of --bad-rows. It is kept also where there are too many of them: that is when somebody
/// wants to look.
class BadRowFile final : public BadRowSink {
 public:
  explicit BadRowFile(const std::string& path) : file_(path) {}
  void write(std::string_view record) override {
    file_.write(record);
    if (!record.ends_with('\n')) file_.write("\n");
  }
  void finish() { file_.finish(); }

 private:
  OutputFile file_;
};

/// No file of the command takes the place of one that it reads, nor of another one.
void require_apart(const Reading& reading, const std::vector<std::string>& traces) {
  std::vector<std::string> written = reading.outputs;
  if (!reading.bad_rows.empty()) written.push_back(reading.bad_rows);
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_output(written[i], written[j])) continue;
      const bool bad_rows = i == reading.outputs.size();
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{} go to '{}'",
                      bad_rows ? "--bad-rows and another output both" : "two outputs", written[i]),
          {"name another file for one of them"});
    }
    // A device can be read and written.
    if (!std::filesystem::is_regular_file(written[i])) continue;
    const auto require_other = [&](const std::vector<std::string>& files, const char* what) {
      for (const std::string& file : files) {
        if (!is_same_file(written[i], file)) continue;
        throw Error(ErrorKind::kUsage,
                    fmt::format("'{}' is {} and would be overwritten", written[i], what),
                    {"name another file"});
      }
    };
    require_other(traces, "a trace");
    require_other(reading.policy_files, "a file of policies");
  }
}

/// Flags that mean something only together.
void check_flags(const ReadFlags& flags) {
  if (flags.time_is_end && !flags.duration_field) {
    throw Error(ErrorKind::kUsage, "--time-is end needs --duration-field",
                {"the arrival of a request is its end less the time it took"});
  }
  if (!flags.time_is_end && flags.duration_field) {
    throw Error(ErrorKind::kUsage, "--duration-field is for --time-is end",
                {"where the instant is the start of a request, nothing is taken off it"});
  }
}

/// What --max-memory was given, in bytes: digits with K, M or G for powers of 1,024.
std::uint64_t memory_size(const std::string& text) {
  constexpr std::string_view kUnits = "KMG";
  std::uint64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [after, fault] = std::from_chars(text.data(), end, size);
  std::size_t shift = 0;
  bool valid = fault == std::errc{};
  if (valid && after != end) {
    const std::size_t unit = kUnits.find(*after);
    valid = after + 1 == end && unit != kUnits.npos;
    if (valid) shift = 10 * (unit + 1);
  }
  valid = valid && size <= std::numeric_limits<std::uint64_t>::max() >> shift;
  if (!valid || size << shift < kLeastMemory) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--max-memory {}: not a size of {}M or more", text, kLeastMemory >> 20),
                {"write bytes, or a number with K, M or G: 512M, 4G"});
  }
  return size << shift;
}

/// A clock that was put back shows an hour twice, and a stamp without a zone does not tell which.
void warn_repeated_hour(const TraceFacts& facts, const Session& session) {
  if (facts.repeated_hour == 0) return;
  session.warn(
      {fmt::format("{} of {} stamps lie in an hour that the clocks of {} showed twice",
                   grouped_text(facts.repeated_hour), grouped_text(facts.rows), facts.zone),
       std::nullopt,
       {"they are taken as the first of the two; a log in UTC leaves no doubt"}});
}

}  // namespace

void add_reading(Command& command, Reading& reading) {
  command.add_argument("TRACE", reading.paths, "", "Trace files; - is standard input");
  add_reading_flags(command, reading);
}

void add_reading_flags(Command& command, Reading& reading) {
  ReadOptions& options = reading.options;
  ReadFlags& flags = options.flags;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  command.add_option("-F,--format", flags.format, "FORMAT", "Input format: " + format_names());
  command.add_option("--time-field", flags.time_field, "FIELD", "Field that holds the instant");
  command.add_option("--time-format", flags.time_format, "FORMAT",
                     "auto, iso, clf, rfc2822, ctime, epoch-s|ms|us|ns, "
                     "relative-s|ms|us|ns or a strptime pattern");
  command.add_option("--tz", flags.zone, "ZONE",
                     "Zone of stamps without one: Europe/Berlin, +02:00 (UTC)");
  command.add_option(
      "--year",
      [&flags](const std::string& text) {
        flags.year = static_cast<int>(number_between("--year", text, kFirstYear, kLastYear));
      },
      "YEAR",
      fmt::format("Year of the first stamp, where stamps have none ({} to {})", kFirstYear,
                  kLastYear));
  command.add_choice("--time-is", flags.time_is_end, {{"start", false}, {"end", true}}, "start|end",
                     "What the instant is of a request: start, or end (then the arrival is the "
                     "instant less --duration-field)");
  command.add_option("--duration-field", flags.duration_field, "FIELD",
                     "Field that says how long the request took, or FIELD:UNIT (s, ms, us, ns)");
  command.add_choice(
      "--subsecond", options.spread_stamps, {{"keep", false}, {"spread", true}}, "keep|spread",
      "Requests on one coarse stamp: keep them there, or spread them evenly in file order");
  command.add_choice("--order", options.order,
                     {{"sort", Order::kSort}, {"strict", Order::kStrict}, {"clamp", Order::kClamp}},
                     "ORDER",
                     "Late rows: sort, strict (an error) or clamp (take the key's latest instant)");
  command.add_option("--max-bad-rows", options.max_bad_rows, "N|P%",
                     "How many rows may be unreadable: a count or a share (1%)");
  command.add_option(
      "--bad-rows",
      [&reading](const std::string& path) {
        if (path.empty() || path == "-" || is_standard_output(path)) {
          throw Error(ErrorKind::kUsage, "--bad-rows wants the name of a file",
                      {"standard output is for the results"});
        }
        reading.bad_rows = path;
      },
      "FILE", "Keep every unreadable row, as it stands, in FILE");
  command.add_switch("--allow-truncated", options.allow_truncated,
                     "Of files that are cut off, take the rows up to there");
  command.add_option(
      "--threads",
      [&options](const std::string& text) {
        options.threads = static_cast<unsigned>(number_between("--threads", text, 1, kMaxThreads));
      },
      "N", "Threads (all cores)");
  command.add_option(
      "--max-memory",
      [&options](const std::string& text) { options.max_memory = memory_size(text); }, "SIZE",
      "Memory for the trace: 512M, 4G. Rows beyond it go to a temporary file in TMPDIR");
  add_key_and_cost(command, flags);
  add_filters(command, flags);
}

TraceStore read_with_progress(const Reading& reading, const Session& session) {
  check_flags(reading.options.flags);
  std::unique_ptr<Progress> bar;
  if (isatty(STDERR_FILENO) == 1 && !session.quiet) bar = std::make_unique<ProgressBar>();
  std::vector<Diagnostic> warnings;
  const std::vector<std::string> paths = trace_paths(reading.paths, warnings);
  for (const Diagnostic& warning : warnings) session.warn(warning);
  require_apart(reading, paths);
  std::unique_ptr<BadRowFile> bad_rows;
  if (!reading.bad_rows.empty()) bad_rows = std::make_unique<BadRowFile>(reading.bad_rows);
  ReadOptions options = reading.options;
  options.bad_rows = bad_rows.get();
  TraceStore trace;
  try {
    trace = read_trace(paths, options, bar.get());
  } catch (const Error& error) {
    if (bad_rows && error.kind() == ErrorKind::kInput) bad_rows->finish();
    throw;
  }
  if (bad_rows) bad_rows->finish();
  bar.reset();
  for (Diagnostic warning : trace.warnings) {
    const bool refused = !warning.advice.empty() && warning.advice.back() == kLeaveRefusedOut;
    if (refused && !reading.refused_advice.empty()) warning.advice = {reading.refused_advice};
    session.warn(warning);
  }
  for (const Diagnostic& note : trace.notes) session.note(note);
  note_selection(trace.facts, reading.options.flags, session);
  warn_repeated_hour(trace.facts, session);
  warn_bad_rows(trace.facts, reading.options.max_bad_rows, session);
  return trace;
}

}  // namespace ratereplay
