// SPDX-License-Identifier: Apache-2.0
#include "report/output_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "error.hpp"
#include "report/output_file.hpp"
#include "text/nearest.hpp"

namespace ratereplay {
namespace {

using Names = std::span<const std::string_view>;

OutputChoice parse_choice(std::string_view text, Names names) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  const auto format = std::find(names.begin(), names.end(), name);
  if (format == names.end()) {
    std::vector<std::string> advice;
    if (auto near = suggestion(name, names)) advice.push_back(*std::move(near));
    advice.push_back(fmt::format("formats: {}", fmt::join(names, ", ")));
    throw Error(ErrorKind::kUsage, fmt::format("unknown output format '{}'", name),
                std::move(advice));
  }
  std::string_view path = text.substr(std::min(equals + 1, text.size()));
  if (equals < text.size() && path.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("-o {} names no file behind '='", text),
                {fmt::format("write -o {} for standard output", name)});
  }
  if (path == "-") path = {};
  return {static_cast<std::size_t>(format - names.begin()), std::string(path)};
}

void require_apart(const OutputChoice& a, const OutputChoice& b, Names names) {
  if (a.path.empty() != b.path.empty()) return;
  const std::string_view first = names[a.format];
  const std::string_view second = names[b.format];
  if (a.path.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("-o {} and -o {} both go to standard output", first, second),
                {fmt::format("name a file for one of them, as in -o {}=FILE", second)});
  }
  if (!is_same_output(a.path, b.path)) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("-o {} and -o {} both go to '{}'", first, second, b.path));
}

}  // namespace

std::vector<OutputChoice> parse_output_choices(std::span<const std::string> texts, Names names) {
  std::vector<OutputChoice> choices;
  for (const std::string& text : texts) {
    OutputChoice choice = parse_choice(text, names);
    for (const OutputChoice& other : choices) require_apart(other, choice, names);
    choices.push_back(std::move(choice));
  }
  return choices;
}

void add_default_output(std::vector<OutputChoice>& choices) {
  const bool taken = std::any_of(choices.begin(), choices.end(),
                                 [](const OutputChoice& choice) { return choice.path.empty(); });
  if (!taken) choices.emplace_back();
}

}  // namespace ratereplay
