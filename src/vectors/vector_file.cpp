// SPDX-License-Identifier: Apache-2.0
#include "vectors/vector_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "error.hpp"
#include "report/json_node.hpp"
#include "vectors/vector_parts.hpp"

namespace ratereplay {
namespace {

/// A byte order mark is no part of the text.
std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

/// Names are how results call the cases, and where one case ends in CSV.
void require_distinct_cases(const VectorFile& file, const std::string& name) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const VectorCase& one : file.cases) {
    if (seen.emplace(one.policy.canonical, one.name).second) continue;
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' is no vectors: two cases of {} are called '{}'", name,
                            one.policy.canonical, one.name),
                {"give each a name of its own"});
  }
}

}  // namespace

const Unit* find_unit(std::string_view name) {
  const auto found = std::find_if(kUnits.begin(), kUnits.end(),
                                  [&](const Unit& unit) { return unit.name == name; });
  return found == kUnits.end() ? nullptr : &*found;
}

std::string unit_advice() {
  std::string names;
  for (const Unit& unit : kUnits)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", unit.name);
  return fmt::format("units: {}", names);
}

std::string range_advice(Unit unit) {
  return fmt::format("times are from {} to {} {}", kInt64Min / unit.nanos, kInt64Max / unit.nanos,
                     unit.name);
}

VectorFile parse_vectors(std::string_view text, const std::string& name) {
  text = without_mark(text);
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    throw Error(ErrorKind::kInput, fmt::format("'{}' is empty", name),
                {"`ratereplay vectors generate` writes vectors"});
  }
  VectorFile file = is_json(text) ? vectors_from_json(text, name) : vectors_from_csv(text, name);
  require_distinct_cases(file, name);
  const bool expects = std::any_of(file.cases.begin(), file.cases.end(), [](const auto& one) {
    return std::any_of(one.steps.begin(), one.steps.end(),
                       [](const VectorStep& step) { return step.expect != Answer{}; });
  });
  if (!expects) {
    throw Error(ErrorKind::kInput, fmt::format("no step in '{}' expects anything", name),
                {"nothing that decides could fail them"});
  }
  return file;
}

VectorFile read_vectors(const std::string& path) {
  return parse_vectors(read_document(path, "{[,"), path);
}

}  // namespace ratereplay
