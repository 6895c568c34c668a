// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/answer_fields.hpp"
#include "vectors/decider.hpp"
#include "vectors/vector_file.hpp"

namespace ratereplay {

/// The first step of a case that was answered otherwise than expected.
struct Divergence {
  std::size_t step = 0;  ///< from 1, series written out
  Request request;
  Answer expected, got;
  std::vector<std::string_view> fields;  ///< the names of those that differ
  /// What our own policy knows of the key before and after the step.
  std::string before, after;
};

struct CaseVerdict {
  std::string name;
  std::string note;
  std::string policy;  ///< canonical
  std::size_t steps = 0;
  std::optional<Divergence> divergence;
};

/// How often a field was expected, and how often of these the answer did not tell it.
struct FieldCount {
  std::uint64_t expected = 0;
  std::uint64_t untold = 0;
};

struct FileVerdict {
  std::string path;
  Unit unit = kMilliseconds;
  std::vector<CaseVerdict> cases;
  FieldCount admitted;
  std::array<FieldCount, kAnswerFields.size()> fields{};  ///< as kAnswerFields

  [[nodiscard]] std::size_t differing() const noexcept;
};

/// The names of the fields in which an answer to a request is not as expected. What either leaves
/// out is not compared, and a fullAt that is not later than the request says the same as never.
[[nodiscard]] std::vector<std::string_view> differing_fields(const Request& request,
                                                             const Answer& expected,
                                                             const Answer& got);

/// Takes every expectation but those of these fields ("admitted" and the names of kAnswerFields)
/// out of the steps.
void keep_fields(VectorFile& file, std::span<const std::string_view> names);

/// Asks `decider` every case up to the first step that differs, opening it anew for each.
/// `path` is how outputs call the file.
[[nodiscard]] FileVerdict verify(const VectorFile& file, const std::string& path, Decider& decider);

}  // namespace ratereplay
