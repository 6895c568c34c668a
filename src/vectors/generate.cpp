// SPDX-License-Identifier: Apache-2.0
#include "vectors/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "vectors/answer_fields.hpp"
#include "vectors/policy_decider.hpp"
#include "vectors/script.hpp"

namespace ratereplay {
namespace {

/// Whether a limiter of the rival's kind would decide some step otherwise than expected.
bool rules_out(const VectorCase& one, Unit unit, const AnyPolicy& rival) {
  PolicyDecider decider(rival, unit);
  return std::any_of(one.steps.begin(), one.steps.end(), [&](const VectorStep& step) {
    const Answer answer = decider.decide(step.request);
    return step.expect.admitted && step.expect.admitted != answer.admitted;
  });
}

VectorCase case_of(const PolicySpec& spec, Unit unit, const Variant& rival,
                   const std::vector<Request>& requests) {
  VectorCase one{.name = fmt::format("not {}", rival.name), .policy = spec};
  PolicyDecider ours(spec.policy, unit);
  PolicyDecider theirs(rival.policy, unit);
  Answer our_last, their_last;
  for (const Request& request : requests) {
    our_last = ours.decide(request);
    their_last = theirs.decide(request);
    one.steps.push_back({request, expectation(spec.policy, our_last, Detail::kFull)});
  }
  if (our_last.admitted != their_last.admitted) {
    one.note = fmt::format("{} would {} the last request", rival.name,
                           *their_last.admitted ? "admit" : "refuse");
  } else {
    one.note = fmt::format("{} would decide alike and answer the last request: {}", rival.name,
                           answer_text(their_last));
  }
  return one;
}

}  // namespace

Coverage generate_cases(const PolicySpec& spec, VectorFile& file) {
  Coverage coverage{.first_case = file.cases.size()};
  for (VectorCase& one : scripted_cases(spec, file.unit)) file.cases.push_back(std::move(one));
  add_telling_cases(spec, file, coverage);
  return coverage;
}

void add_telling_cases(const PolicySpec& spec, VectorFile& file, Coverage& coverage) {
  std::vector<Variant> open = rivals_of(spec.policy, file.unit);
  const auto cross_out = [&](const VectorCase& one) {
    std::vector<std::string>& names = coverage.ruled_out.emplace_back();
    std::erase_if(open, [&](const Variant& rival) {
      if (!rules_out(one, file.unit, rival.policy)) return false;
      names.push_back(rival.name);
      return true;
    });
  };
  for (std::size_t i = coverage.first_case; i < file.cases.size(); ++i) cross_out(file.cases[i]);
  while (!open.empty()) {
    const Variant rival = open.front();
    const std::vector<Request> requests = tell_apart(spec.policy, rival.policy, file.unit);
    if (requests.empty()) {
      coverage.alike.push_back(rival.name);
      open.erase(open.begin());
      continue;
    }
    file.cases.push_back(case_of(spec, file.unit, rival, requests));
    cross_out(file.cases.back());
    if (open.empty() || open.front().name != rival.name) continue;
    coverage.by_numbers.push_back(rival.name);
    open.erase(open.begin());
  }
}

}  // namespace ratereplay
