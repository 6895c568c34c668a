// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policies/every_option.hpp"
#include "spec/policy_spec.hpp"
#include "vectors/generate.hpp"
#include "vectors/mutant.hpp"
#include "vectors/verify.hpp"

namespace ratereplay::test {
namespace {

using namespace std::chrono_literals;

/// Every policy with every combination of its options, at limits with and without whole intervals.
std::vector<PolicySpec> every_policy() {
  std::vector<PolicySpec> specs;
  for_each_policy([&]<Policy P>() {
    for (const Limit& limit : {Limit{7, 1s}, Limit{5, 1s}, Limit{100, 1min}}) {
      for (const Options& options : testing::every_option<P>({4, 12}, {})) {
        const AnyPolicy policy = P(limit, options);
        specs.push_back({"", canonical_text(policy), policy});
      }
    }
  });
  return specs;
}

VectorFile generated(const PolicySpec& spec) {
  VectorFile file{.unit = unit_for(spec.policy)};
  generate_cases(spec, file);
  return file;
}

}  // namespace

TEST_CASE("mutants: a copy without a mistake passes the vectors of every policy") {
  for (const PolicySpec& spec : every_policy()) {
    CAPTURE(spec.canonical);
    Mutant copy(Mutation::kNone);
    for (const CaseVerdict& one : verify(generated(spec), "", copy).cases) {
      CAPTURE(one.name);
      CHECK_FALSE(one.divergence.has_value());
    }
  }
}

TEST_CASE("mutants: every mistake in every policy fails a decision of its vectors") {
  std::size_t caught = 0;
  for (const PolicySpec& spec : every_policy()) {
    CAPTURE(spec.canonical);
    const VectorFile file = generated(spec);
    for (const auto& [mutation, name] : kMutations) {
      if (!Mutant::matters(mutation, spec.policy, file.unit)) continue;
      CAPTURE(name);
      Mutant mutant(mutation);
      const bool fails = verify(file, "", mutant).differing() > 0;
      CHECK(fails);
      caught += fails ? 1 : 0;
    }
  }
  MESSAGE(caught << " mutants caught");
  CHECK(caught >= 300);
}

}  // namespace ratereplay::test
