// SPDX-License-Identifier: Apache-2.0
#include "trace/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "error.hpp"
#include "text/nearest.hpp"
#include "text/visible.hpp"
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

constexpr std::string_view kDay = "9999-99-99T";

constexpr std::array<Unread, 10> kUnread = {{
    {"gzip data", [](auto text, auto) { return text.starts_with("\x1F\x8B"); }},
    {"zstd data", [](auto text, auto) { return text.starts_with("\x28\xB5\x2F\xFD"); }},
    {"bzip2 data", [](auto text, auto) { return has_shape(text, "BZh9"); }},
    {"xz data",
     [](auto text, auto) {
       return text.starts_with(
           "\xFD"
           "7zXZ");
     }},
    {"a zip archive", [](auto text, auto) { return text.starts_with("PK\x03\x04"); }},
    {"a Parquet file", [](auto text, auto) { return text.starts_with("PAR1"); }},
    {"a CloudFront log",
     [](auto text, auto line) {
       return line.starts_with("#Version:") && text.find("x-edge-") != text.npos;
     }},
    {"an IIS W3C log",
     [](auto text, auto line) {
       return line.starts_with("#") && text.substr(0, 2'000).find("#Fields:") != text.npos;
     }},
    {"a Zeek log", [](auto, auto line) { return line.starts_with("#separator "); }},
    {"a container log (CRI)",
     [](auto, auto line) {
       return has_shape(line, kDay) &&
              (line.find(" stdout F ") < 60 || line.find(" stderr F ") < 60);
     }},
}};

bool is_binary(std::string_view text) {
  const std::string_view head = text.substr(0, 4'096);
  const auto strange = std::count_if(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' &&
           c != '\x1B' && c != '\f';
  });
  return head.find('\0') != head.npos || static_cast<std::size_t>(strange) * 20 > head.size();
}

std::string known_formats() {
  std::string list;
  for (const Format* format : formats()) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", format->name());
  }
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
  std::vector<std::string> advice;
  if (auto near = suggestion(name.substr(0, colon), names)) advice.push_back(*std::move(near));
  advice.push_back("known: " + known_formats());
  throw Error(ErrorKind::kUsage, fmt::format("-F {}: no such format", name), std::move(advice));
}

}  // namespace

FormatChoice choose_format(const Sample& sample, std::string_view file,
                           const std::optional<std::string>& pinned) {
  const bool detect = !pinned || *pinned == "auto";
  FormatChoice named;
  if (!detect) named = format_named(*pinned);
  const std::string_view text = skip_bom(sample.text);
  const std::string_view line = first_line(text);
  if (line.empty()) {
    throw Error(ErrorKind::kInput, fmt::format("no request in {}: it is empty", file));
  }
  if (named.format != nullptr) {
    named.layout = named.format->recognise(sample).layout;
    return named;
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
  FormatChoice best;
  int best_score = 0;
  int next_score = 0;
  for (const Format* format : formats()) {
    Recognition found = format->recognise(sample);
    if (found.score > best_score) {
      next_score = best_score;
      best.runner_up = best.format != nullptr ? best.format->name() : std::string_view{};
      best_score = found.score;
      best.format = format;
      best.layout = std::move(found.layout);
    } else if (found.score > next_score) {
      next_score = found.score;
      best.runner_up = format->name();
    }
  }
  if (best.format == nullptr) {
    throw Error(ErrorKind::kInput,
                Diagnostic{fmt::format("{} is of no known format", file),
                           Place{fmt::format("{}:1", file), std::string(line.substr(0, 80)), 0, 0},
                           {"name it with -F: " + known_formats()}});
  }
  if (next_score * 10 < best_score * 9) best.runner_up = {};
  return best;
}

}  // namespace ratereplay
