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

/// A case of these requests, the last of which tells two limiters apart.
VectorCase case_of(const PolicySpec& spec, Unit unit, std::string name, std::string note,
                   const std::vector<Request>& requests) {
  VectorCase one{.name = std::move(name), .note = std::move(note), .policy = spec};
  PolicyDecider ours(spec.policy, unit);
  for (const Request& request : requests) {
    one.steps.push_back({request, expectation(spec.policy, ours.decide(request), Detail::kFull)});
  }
  return one;
}

/// What a limiter answers to the last of the requests.
Answer last_answer(const AnyPolicy& policy, Unit unit, const std::vector<Request>& requests) {
  PolicyDecider decider(policy, unit);
  Answer answer;
  for (const Request& request : requests) answer = decider.decide(request);
  return answer;
}

/// Our policy, which comes first, and its rivals, with what each decides in every case so far.
class Contest {
 public:
  Contest(const PolicySpec& spec, VectorFile& file, Coverage& coverage)
      : spec_(spec), file_(file), coverage_(coverage) {
    entrants_.push_back({{spec.policy, spec.canonical}});
    for (Variant& rival : rivals_of(spec.policy, file.unit)) {
      entrants_.push_back({std::move(rival)});
    }
    for (std::size_t i = coverage.first_case; i < file.cases.size(); ++i) enter(file.cases[i]);
  }

  /// Adds cases until every two decide some step differently, if they ever do.
  void tell_apart_all() {
    for (std::size_t i = 1; i < entrants_.size(); ++i) {
      for (std::size_t j = 0; j < i && !entrants_[i].alike; ++j) {
        if (!entrants_[j].alike && entrants_[i].decided == entrants_[j].decided) tell(i, j);
      }
    }
  }

 private:
  struct Entrant {
    Variant variant;
    std::vector<bool> decided;  ///< every step of every case
    bool alike = false;         ///< decides as one before it, as far as could be found
  };

  /// Takes in what everyone decides in a case of ours.
  void enter(const VectorCase& one) {
    const std::vector<bool>& ours = entrants_.front().decided;
    std::vector<std::string>& names = coverage_.ruled_out.emplace_back();
    for (Entrant& entrant : entrants_) {
      const bool was_ours = entrant.decided == ours_before_;
      PolicyDecider decider(entrant.variant.policy, file_.unit);
      for (const VectorStep& step : one.steps) {
        entrant.decided.push_back(*decider.decide(step.request).admitted);
      }
      if (was_ours && entrant.decided != ours) names.push_back(entrant.variant.name);
    }
    ours_before_ = ours;
  }

  void tell(std::size_t i, std::size_t j) {
    const Variant& a = entrants_[j].variant;
    const Variant& b = entrants_[i].variant;
    const std::vector<Request> requests = tell_apart(a.policy, b.policy, file_.unit);
    if (!requests.empty()) {
      const Answer by_a = last_answer(a.policy, file_.unit, requests);
      const Answer by_b = last_answer(b.policy, file_.unit, requests);
      if (by_a.admitted != by_b.admitted) return add_decided(a, b, j == 0, by_b, requests);
      if (j == 0) add_told(b, by_b, requests);
    } else if (j == 0) {
      coverage_.alike.push_back(b.name);
    }
    entrants_[i].alike = true;
  }

  void add_decided(const Variant& a, const Variant& b, bool a_is_ours, const Answer& by_b,
                   const std::vector<Request>& requests) {
    const std::string_view decides = *by_b.admitted ? "admit" : "refuse";
    add(a_is_ours ? fmt::format("not {}", b.name) : fmt::format("{} or {}", a.name, b.name),
        a_is_ours
            ? fmt::format("{} would {} the last request", b.name, decides)
            : fmt::format("{} would {} the last request, {} would not", b.name, decides, a.name),
        requests);
  }

  void add_told(const Variant& rival, const Answer& answer, const std::vector<Request>& requests) {
    coverage_.by_numbers.push_back(rival.name);
    add(fmt::format("not {}", rival.name),
        fmt::format("{} decides alike, and answers the last request: {}", rival.name,
                    answer_text(answer)),
        requests);
  }

  void add(std::string name, std::string note, const std::vector<Request>& requests) {
    file_.cases.push_back(case_of(spec_, file_.unit, std::move(name), std::move(note), requests));
    enter(file_.cases.back());
  }

  const PolicySpec& spec_;
  VectorFile& file_;
  Coverage& coverage_;
  std::vector<Entrant> entrants_;
  std::vector<bool> ours_before_;  ///< what ours decided in all cases but the latest
};

}  // namespace

Coverage generate_cases(const PolicySpec& spec, VectorFile& file,
                        std::span<const std::string> without) {
  Coverage coverage{.first_case = file.cases.size()};
  for (VectorCase& one : scripted_cases(spec, file.unit)) {
    if (std::find(without.begin(), without.end(), one.name) != without.end()) continue;
    file.cases.push_back(std::move(one));
  }
  Contest(spec, file, coverage).tell_apart_all();
  return coverage;
}

}  // namespace ratereplay
