// SPDX-License-Identifier: Apache-2.0
#include "trace/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "error.hpp"
#include "text/nearest.hpp"
#include "text/visible.hpp"
#include "trace/enveloped.hpp"
#include "trace/formats.hpp"
#include "trace/lines.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

/// Content that is known, but not read yet: what the first bytes, or the first line, look like.
struct Unread {
  std::string_view name;
  bool (*matches)(std::string_view text, std::string_view line);
};

constexpr std::array<Unread, 3> kUnread = {{
    {"a zip archive", [](auto text, auto) { return text.starts_with("PK\x03\x04"); }},
    {"a Parquet file", [](auto text, auto) { return text.starts_with("PAR1"); }},
    {"a JMeter result file in XML (write them as CSV)",
     [](auto text, auto line) {
       return line.starts_with("<testResults") ||
              (line.starts_with("<?xml") &&
               text.substr(0, 1'000).find("<testResults") != text.npos);
     }},
}};

/// NULs in front of a line do not count: files that were cut while in use begin with them.
bool is_binary(std::string_view text) {
  std::size_t seen = 0;
  std::size_t strange = 0;
  while (seen < 4'096 && !text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of('\0'), line.size()));
    line = line.substr(0, 4'096);
    seen += line.size();
    strange += static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\r' && c != '\t' && c != '\x1B' &&
             c != '\f';
    }));
  }
  return seen == 0 || strange * 20 > seen;
}

/// Lines that end in a carriage return alone, as on old Macs: they would all be one. In JSON it is
/// a blank.
bool ends_lines_in_cr(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::size_t last = text.find_last_not_of("\r\n");
  if (first == text.size()) return false;
  const std::size_t inner = std::min(text.find_first_not_of(" \t\r\n", first + 1), text.size());
  if (text[first] == '{' ||
      (text[first] == '[' && inner < text.size() && (text[inner] == '{' || text[inner] == '['))) {
    return false;
  }
  text = text.substr(first, last - first);
  return text.find('\n') == text.npos && text.find('\r') != text.npos;
}

std::string known_formats() {
  std::string list;
  for (const Format* format : formats()) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", format->name());
  }
  for (const Envelope* envelope : envelopes()) list += fmt::format(", {}+FORMAT", envelope->name());
  for (const FormatFamily& family : format_families()) {
    list += fmt::format(", {}:{}", family.name, family.parameter);
  }
  return list;
}

std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.find_first_not_of(" \t") != line.npos) return line;
  }
  return {};
}

FormatChoice format_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Format* format : formats()) {
    if (format->name() == name) return {format, nullptr, {}, {}};
    names.push_back(format->name());
  }
  const std::size_t colon = std::min(name.find(':'), name.size());
  for (const FormatFamily& family : format_families()) {
    names.push_back(family.name);
    if (family.name != name.substr(0, colon)) continue;
    if (colon + 1 >= name.size()) {
      throw Error(ErrorKind::kUsage, fmt::format("-F {}: no {} given", name, family.parameter),
                  {fmt::format("write {}", family.example)});
    }
    std::shared_ptr<const Format> made = family.make(name.substr(colon + 1));
    return {made.get(), made, {}, {}};
  }
  for (const Envelope* envelope : envelopes()) names.push_back(envelope->name());
  std::vector<std::string> advice;
  if (auto near = suggestion(name.substr(0, colon), names)) advice.push_back(*std::move(near));
  advice.push_back("known: " + known_formats());
  throw Error(ErrorKind::kUsage, fmt::format("-F {}: no such format", name), std::move(advice));
}

/// The format that explains the sample best; null where none does. In an envelope only those that
/// are read line by line.
FormatChoice best_format(const Sample& sample, bool line_by_line) {
  FormatChoice best;
  int best_score = 0;
  int next_score = 0;
  for (const Format* format : formats()) {
    if (line_by_line && !format->line_by_line()) continue;
    Recognition found = format->recognise(sample);
    if (found.score > best_score) {
      next_score = best_score;
      best.runner_up = best.format != nullptr ? best.format->name() : "";
      best_score = found.score;
      best.format = format;
      best.layout = std::move(found.layout);
    } else if (found.score > next_score) {
      next_score = found.score;
      best.runner_up = format->name();
    }
  }
  if (next_score * 10 < best_score * 9) best.runner_up = {};
  return best;
}

/// The format inside, by content or by name; null where none is found.
FormatChoice choose_inside(const Envelope& envelope, const Sample& sample,
                           std::optional<std::string_view> name) {
  const UnwrappedSample inside = unwrap_sample(envelope, sample);
  const Sample inner{inside.text, sample.whole};
  FormatChoice choice;
  if (name) {
    choice = format_named(*name);
    if (!choice.format->line_by_line()) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("-F {0}+{1}: {1} cannot be read line by line", envelope.name(), *name),
          {fmt::format("take the lines out of {} first", envelope.title())});
    }
    choice.layout = choice.format->recognise(inner).layout;
  } else if (inside.lines > 0 && inside.foreign * 2 <= inside.lines) {
    choice = best_format(inner, true);
  }
  if (choice.format == nullptr) return choice;
  // Formats of the list live for ever.
  if (!choice.made) choice.made = {std::shared_ptr<const Format>(), choice.format};
  choice.made = enveloped(envelope, std::move(choice.made));
  choice.format = choice.made.get();
  if (!choice.runner_up.empty()) {
    choice.runner_up = fmt::format("{}+{}", envelope.name(), choice.runner_up);
  }
  return choice;
}

/// What -F says; null where it leaves the format inside an envelope to the content, which is of
/// none.
FormatChoice choose_named(const Sample& sample, std::string_view name) {
  const std::size_t plus = std::min(name.find('+'), name.size());
  if (const Envelope* const envelope = envelope_named(name.substr(0, plus))) {
    if (plus == name.size()) return choose_inside(*envelope, sample, std::nullopt);
    return choose_inside(*envelope, sample, name.substr(plus + 1));
  }
  FormatChoice choice = format_named(name);
  choice.layout = choice.format->recognise(sample).layout;
  return choice;
}

[[noreturn]] void refuse_content(std::string_view file, std::string_view line) {
  throw Error(ErrorKind::kInput,
              Diagnostic{fmt::format("{} is of no known format", file),
                         Place{fmt::format("{}:1", file), std::string(line.substr(0, 80)), 0, 0},
                         {"name it with -F: " + known_formats()}});
}

}  // namespace

FormatChoice choose_format(const Sample& sample, std::string_view file,
                           const std::optional<std::string>& pinned) {
  const std::string_view text = skip_bom(sample.text);
  const std::string_view line = first_line(text);
  if (line.empty() && text.find('\0') == text.npos) {
    if (pinned && *pinned != "auto") choose_named(sample, *pinned);  // a wrong name goes first
    throw Error(ErrorKind::kInput, fmt::format("no request in {}: it is empty", file));
  }
  if (ends_lines_in_cr(text)) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: its lines end in CR alone, not in LF or CR LF", file),
                {fmt::format("convert them: tr '\\r' '\\n' < {} | ratereplay run -", file)});
  }
  if (pinned && *pinned != "auto") {
    FormatChoice choice = choose_named(sample, *pinned);
    if (choice.format == nullptr) refuse_content(file, line);
    return choice;
  }
  for (const Unread& unread : kUnread) {
    if (!unread.matches(text, line)) continue;
    throw Error(ErrorKind::kInput,
                fmt::format("{} looks like {}; that format is not read yet", file, unread.name),
                {"formats that are read: " + known_formats()});
  }
  if (is_binary(text)) {
    throw Error(ErrorKind::kInput, fmt::format("{} is binary, not a log of text", file),
                {"formats that are read: " + known_formats()});
  }
  // Envelopes first: formats that are lenient about a line's start would take them for a field.
  for (const Envelope* envelope : envelopes()) {
    FormatChoice inside = choose_inside(*envelope, sample, std::nullopt);
    if (inside.format != nullptr) return inside;
  }
  FormatChoice best = best_format(sample, false);
  if (best.format == nullptr) refuse_content(file, line);
  return best;
}

}  // namespace ratereplay
