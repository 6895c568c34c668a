// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/policy_spec.hpp"
#include "vectors/decider.hpp"
#include "vectors/unit.hpp"

namespace ratereplay {

/// One request, and what must be answered; what `expect` leaves out may be anything.
struct VectorStep {
  Request request;
  Answer expect;

  friend bool operator==(const VectorStep&, const VectorStep&) = default;
};

/// Requests that a fresh limiter is asked one after another.
struct VectorCase {
  std::string name;
  std::string note;  ///< what it pins; may be empty
  PolicySpec policy;
  std::vector<VectorStep> steps;
};

/// Test vectors, whatever form they are stored in.
struct VectorFile {
  Unit unit = kMilliseconds;
  std::string note;
  std::vector<VectorCase> cases;
};

inline constexpr std::string_view kVectorFormat = "ratereplay.vectors/1";

/// The most steps of a file, series written out.
inline constexpr std::size_t kMostSteps = 1'000'000;

/// The name of a step's key where a file gives none.
inline constexpr std::string_view kDefaultKey = "key";

/// The file as JSON (docs/vectors.md), one step or series a line.
[[nodiscard]] std::string vectors_json(const VectorFile& file);
/// The file as CSV, one step a line, without the file's note.
[[nodiscard]] std::string vectors_csv(const VectorFile& file);

/// Vectors from JSON or CSV, whichever the text is; `name` is what messages call it. Error(kInput),
/// saying where: not JSON, a member or column that is missing, unknown or wrong, no step that
/// expects anything.
[[nodiscard]] VectorFile parse_vectors(std::string_view text, const std::string& name);
/// The same from a file; "-" is standard input.
[[nodiscard]] VectorFile read_vectors(const std::string& path);

}  // namespace ratereplay
