// SPDX-License-Identifier: Apache-2.0
#include "vectors/answer_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace ratereplay {
namespace {

std::string told_text(const Told& told) {
  return told.never ? "never" : fmt::format("{}", told.value);
}

}  // namespace

std::string answer_text(const Answer& answer) {
  std::vector<std::string> parts;
  if (answer.admitted) parts.emplace_back(*answer.admitted ? "admitted" : "refused");
  for (const AnswerField& field : kAnswerFields) {
    if (const auto& told = answer.*field.value) {
      parts.push_back(fmt::format("{} {}", field.name, told_text(*told)));
    }
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

void write_answer(JsonWriter& json, const Answer& answer) {
  json.open_object(JsonWriter::kOneLine);
  if (answer.admitted) json.member("admitted").boolean(*answer.admitted);
  for (const AnswerField& field : kAnswerFields) {
    const std::optional<Told>& told = answer.*field.value;
    if (!told) continue;
    json.member(field.name);
    if (told->never) {
      json.null();
    } else {
      json.raw(fmt::format("{}", told->value));
    }
  }
  json.close();
}

}  // namespace ratereplay
