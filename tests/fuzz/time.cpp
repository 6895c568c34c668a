// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "fuzz/targets.hpp"
#include "trace/block.hpp"
#include "trace/time_choice.hpp"
#include "trace/time_text.hpp"

/// Input: a line with a --time-format, then lines that may be instants in it.
namespace ratereplay::fuzz {
namespace {

std::optional<TimeFormat> format_of(std::string_view name) {
  try {
    return parse_time_format(name);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kUsage, "a time format is refused as usage");
    return std::nullopt;
  }
}

std::optional<Instant> read(TimeReader& reader, std::string_view text) {
  Instant at;
  if (reader.read(text, at)) return at;
  require(!reader.reason().empty(), "what cannot be read has a reason");
  return std::nullopt;
}

void check_guess(const std::vector<std::string>& lines) {
  // Detection is handed texts with nothing around them.
  std::vector<std::vector<char>> bare;
  for (const std::string& line : lines) bare.emplace_back(line.begin(), line.end());
  std::vector<std::string_view> texts;
  for (const auto& text : bare) texts.emplace_back(text.data(), text.size());
  std::string why;
  const auto guessed = guess_time_format(texts, "time", {}, why);
  if (!guessed) {
    require(!why.empty() || lines.empty(), "no guess has a reason");
    return;
  }
  const auto named = format_of(guessed->name());
  require(named && *named == *guessed, "a guess has a name that pins it: " + guessed->name());
}

}  // namespace

void time(std::string_view bytes) {
  const auto format = format_of(take_line(bytes));
  std::vector<std::string> lines;
  while (!bytes.empty() && lines.size() < 64) lines.emplace_back(take_line(bytes));
  check_guess(lines);
  if (!format) return;
  const auto named = format_of(format->name());
  require(named && *named == *format, "a format's name is the format: " + format->name());
  TimeReader kept(*format);
  for (const std::string& line : lines) {
    const std::string slack(Block::kSlack, '7');
    const std::string padded = slack + line + slack;
    const std::string_view text = std::string_view(padded).substr(slack.size(), line.size());
    TimeReader fresh(*format);
    require(read(kept, text) == read(fresh, text), "what was read before changes nothing: " + line);
  }
}

}  // namespace ratereplay::fuzz
