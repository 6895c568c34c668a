// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "error.hpp"
#include "fuzz/targets.hpp"
#include "text/utf8.hpp"
#include "vectors/policy_decider.hpp"
#include "vectors/vector_file.hpp"
#include "vectors/verdict_text.hpp"

/// Input: test vectors, JSON or CSV.
namespace ratereplay::fuzz {
namespace {

std::optional<VectorFile> read(std::string_view text) {
  try {
    return parse_vectors(text, "vectors");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kInput, "a document that is no vectors is an input error");
    return std::nullopt;
  }
}

bool same_cases(const VectorFile& a, const VectorFile& b) {
  return a.unit == b.unit &&
         std::equal(a.cases.begin(), a.cases.end(), b.cases.begin(), b.cases.end(),
                    [](const VectorCase& one, const VectorCase& other) {
                      return one.name == other.name && one.note == other.note &&
                             one.policy.canonical == other.policy.canonical &&
                             one.steps == other.steps;
                    });
}

}  // namespace

void vectors(std::string_view bytes) {
  const auto file = read(bytes);
  if (!file) return;
  for (const std::string& text : {vectors_json(*file), vectors_csv(*file)}) {
    const auto again = read(text);
    require(again && same_cases(*again, *file), "vectors that were written again are the same");
  }
  PolicyDecider ours;
  const VerifyReport report{"ours", {verify(*file, "vectors", ours)}};
  for (const std::string& text :
       {verify_table(report, true), verify_json(report), verify_junit(report)}) {
    require(is_utf8(text), "every output is UTF-8");
  }
}

}  // namespace ratereplay::fuzz
