// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "report/json_writer.hpp"
#include "vectors/decider.hpp"

namespace ratereplay {

/// One number of an answer under the name that it has in files and in the driver's lines.
struct AnswerField {
  std::string_view name;
  std::optional<Told> Answer::*value;
  bool can_be_never;
  /// Whether it is an instant, which alone can be below 0.
  bool is_instant;
};

/// All but `admitted`, in the order of every output.
inline constexpr std::array<AnswerField, 5> kAnswerFields{
    {{"remaining", &Answer::remaining, false, false},
     {"retryAfter", &Answer::retry_after, true, false},
     {"resetAt", &Answer::reset_at, true, true},
     {"fullAt", &Answer::full_at, true, true},
     {"delay", &Answer::delay, false, false}}};

/// "admitted, remaining 4, resetAt never"; "nothing" when nothing is told.
[[nodiscard]] std::string answer_text(const Answer& answer);
/// The answer as an object on one line, never as null.
void write_answer(JsonWriter& json, const Answer& answer);

}  // namespace ratereplay
