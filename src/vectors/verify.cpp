// SPDX-License-Identifier: Apache-2.0
#include "vectors/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interrupt.hpp"
#include "vectors/policy_decider.hpp"

namespace ratereplay {
namespace {

bool agree(const AnswerField& field, const Request& request, const std::optional<Told>& expected,
           const std::optional<Told>& got) {
  if (!expected || !got || *expected == *got) return true;
  return field.value == &Answer::full_at && expected->never && got->value <= request.at;
}

void count(FieldCount& field, bool expected, bool told) {
  field.expected += expected ? 1 : 0;
  field.untold += expected && !told ? 1 : 0;
}

void count(FileVerdict& verdict, const Answer& expected, const Answer& got) {
  count(verdict.admitted, expected.admitted.has_value(), got.admitted.has_value());
  for (std::size_t i = 0; i < kAnswerFields.size(); ++i) {
    count(verdict.fields[i], (expected.*kAnswerFields[i].value).has_value(),
          (got.*kAnswerFields[i].value).has_value());
  }
}

}  // namespace

std::size_t FileVerdict::differing() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(),
                    [](const CaseVerdict& verdict) { return verdict.divergence.has_value(); }));
}

std::vector<std::string_view> differing_fields(const Request& request, const Answer& expected,
                                               const Answer& got) {
  std::vector<std::string_view> fields;
  if (expected.admitted && got.admitted && expected.admitted != got.admitted) {
    fields.emplace_back("admitted");
  }
  for (const AnswerField& field : kAnswerFields) {
    if (!agree(field, request, expected.*field.value, got.*field.value)) {
      fields.push_back(field.name);
    }
  }
  return fields;
}

void keep_fields(VectorFile& file, std::span<const std::string_view> names) {
  const auto kept = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (VectorCase& one : file.cases) {
    for (VectorStep& step : one.steps) {
      if (!kept("admitted")) step.expect.admitted.reset();
      for (const AnswerField& field : kAnswerFields) {
        if (!kept(field.name)) (step.expect.*field.value).reset();
      }
    }
  }
}

FileVerdict verify(const VectorFile& file, const std::string& path, Decider& decider) {
  FileVerdict verdict{.path = path, .unit = file.unit};
  for (const VectorCase& one : file.cases) {
    stop_if_interrupted();
    CaseVerdict& result = verdict.cases.emplace_back(
        CaseVerdict{one.name, one.note, one.policy.canonical, one.steps.size(), std::nullopt});
    PolicyDecider ours(one.policy.policy, file.unit);
    decider.set_place(fmt::format("{}, case '{}'", path, one.name));
    decider.open(one.policy, file.unit);
    for (std::size_t i = 0; i < one.steps.size() && !result.divergence; ++i) {
      const auto& [request, expected] = one.steps[i];
      decider.set_place(fmt::format("{}, case '{}', step {}", path, one.name, i + 1));
      const Answer got = decider.decide(request);
      count(verdict, expected, got);
      auto fields = differing_fields(request, expected, got);
      std::string before = fields.empty() ? std::string() : *ours.state(request.key);
      ours.decide(request);
      if (fields.empty()) continue;
      result.divergence = Divergence{i + 1,
                                     request,
                                     expected,
                                     got,
                                     std::move(fields),
                                     std::move(before),
                                     *ours.state(request.key)};
    }
  }
  return verdict;
}

}  // namespace ratereplay
