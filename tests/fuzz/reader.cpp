// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/reading.hpp"
#include "fuzz/targets.hpp"
#include "trace/filter_plan.hpp"
#include "trace/read_text.hpp"

/// Input: a line with the flags of reading as on a command line, then the trace:
///
///     -F csv -k 'user id' --time-format epoch-ms
///     ts,user id
///     …
namespace ratereplay::fuzz {
namespace {

using testing::ReadResult;

constexpr std::size_t kWhole = std::size_t{1} << 16;
constexpr std::size_t kLongestTrace = kWhole - 1;

/// The words of a command line: blanks between them, quotes as shell_word writes them.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!quoted && text[i] == ' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (text[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '\\' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += text[i];
    }
  }
  return words;
}

/// By the program's own flags; nullopt when it would refuse them.
std::optional<ReadFlags> parse_flags(std::string_view line) {
  CLI::App program;
  Command command(program);
  Reading reading;
  add_reading(command, reading);
  std::vector<std::string> words = split_words(line);
  words.insert(words.begin(), "trace");
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
  return reading.options.flags;
}

/// The same, remembered: making a command line costs more than reading a trace of some lines.
std::optional<ReadFlags> read_flags(std::string_view line) {
  static std::map<std::string, std::optional<ReadFlags>, std::less<>> known;
  if (known.size() > 1'000) known.clear();
  const auto found = known.find(line);
  if (found != known.end()) return found->second;
  return known.emplace(line, parse_flags(line)).first->second;
}

/// RATEREPLAY_FUZZ_FORMAT keeps a run of the fuzzer to one format, whatever the line says. A format
/// with parameters ("nginx:…") keeps those of the line.
void pin_format(ReadFlags& flags) {
  static const char* const format = std::getenv("RATEREPLAY_FUZZ_FORMAT");
  if (format == nullptr) return;
  if (flags.format && flags.format->substr(0, flags.format->find(':')) == format) return;
  flags.format = format;
}

ReadResult read(std::string_view trace, const ReadPlan& plan, std::size_t block_bytes) {
  const auto source = testing::text_source(trace);
  (void)source->peek();
  ReadResult result = testing::read_source(*source, plan, block_bytes);
  require(result.requests.size() + result.all_bad() + result.filtered == result.rows,
          "requests + bad + filtered = rows");
  require(result.rows <= trace.size() + 1, "a row takes a byte");
  return result;
}

}  // namespace

void reader(std::string_view bytes) {
  const std::string_view line = take_line(bytes);
  if (bytes.size() > kLongestTrace) return;
  std::optional<ReadFlags> flags = read_flags(line);
  if (!flags) return;
  pin_format(*flags);
  std::optional<ReadPlan> plan;
  try {
    plan = make_plan(testing::text_source(bytes)->peek(), "trace", *flags);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kInput,
            "a trace that cannot be read is an error of usage or input");
    return;
  }
  const ReadResult whole = read(bytes, *plan, kWhole);
  const std::size_t block_bytes = 1 + bytes.size() * 31 % 257;
  require(read(bytes, *plan, block_bytes) == whole, "rows do not depend on the size of blocks");

  const std::string pin = pin_flags(*plan) + filter_flags(*flags);
  const std::optional<ReadFlags> pinned = read_flags(pin);
  require(pinned.has_value(), "the flags that pin a reading are flags: " + pin);
  const auto source = testing::text_source(bytes);
  const ReadResult again = read(bytes, make_plan(source->peek(), "trace", *pinned), kWhole);
  require(again == whole, "the flags that pin a reading read the same: " + pin);
}

}  // namespace ratereplay::fuzz
