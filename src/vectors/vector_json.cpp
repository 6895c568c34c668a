// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "error.hpp"
#include "report/json_node.hpp"
#include "report/json_writer.hpp"
#include "vectors/answer_fields.hpp"
#include "vectors/series.hpp"
#include "vectors/vector_file.hpp"
#include "vectors/vector_parts.hpp"

namespace ratereplay {
namespace {

/// A shorter run is easier to read step by step.
constexpr std::uint64_t kLeastSeries = 3;

void write_step(JsonWriter& json, const VectorStep& step, const Series& series) {
  json.open_object(JsonWriter::kOneLine).member("at");
  if (series.count == 1) {
    json.raw(fmt::format("{}", series.at));
  } else {
    json.text(series_text(series));
  }
  json.member("key").text(step.request.key).member("cost").count(step.request.cost);
  if (step.expect != Answer{}) write_answer(json.member("expect"), step.expect);
  json.close();
}

void write_case(JsonWriter& json, const VectorCase& one, bool with_policy) {
  json.open_object(JsonWriter::kLines).member("name").text(one.name);
  if (with_policy) json.member("policy").text(one.policy.canonical);
  if (!one.note.empty()) json.member("note").text(one.note);
  json.member("steps").open_array(JsonWriter::kLines);
  std::span<const VectorStep> steps = one.steps;
  while (!steps.empty()) {
    Series series = leading_series(steps);
    if (series.count < kLeastSeries) series = {series.at, 0, 1};
    write_step(json, steps.front(), series);
    steps = steps.subspan(series.count);
  }
  json.close().close();
}

std::optional<Told> read_told(const JsonNode& node, const AnswerField& field) {
  if (node.null()) {
    if (!field.can_be_never) node.fail("is null", {"leave it out where it is not to be compared"});
    return kNever;
  }
  const std::int64_t value = node.integer();
  if (value < 0 && !field.is_instant) node.fail("is below 0");
  return Told{.value = value};
}

Answer read_answer(const JsonNode& node) {
  node.allow_only({"admitted", "remaining", "retryAfter", "resetAt", "fullAt", "delay"});
  Answer answer;
  if (const auto admitted = node.find("admitted")) answer.admitted = admitted->boolean();
  for (const AnswerField& field : kAnswerFields) {
    if (const auto told = node.find(field.name)) answer.*field.value = read_told(*told, field);
  }
  return answer;
}

Cost read_cost(const JsonNode& node) {
  const std::int64_t cost = node.integer();
  if (cost < 0 || cost > std::numeric_limits<Cost>::max()) {
    node.fail(fmt::format("is not from 0 to {}", std::numeric_limits<Cost>::max()));
  }
  return static_cast<Cost>(cost);
}

/// Reads the cases of one document.
class Reader {
 public:
  Reader(const JsonNode& root, VectorFile& file) : root_(root), file_(file) {}

  void read() {
    root_.allow_only({"format", "policy", "unit", "note", "cases"});
    if (const auto format = root_.find("format"); format && format->text() != kVectorFormat) {
      format->fail(fmt::format("is '{}'", format->text()),
                   {fmt::format("this program reads {}", kVectorFormat)});
    }
    const JsonNode unit = root_["unit"];
    const Unit* known = find_unit(unit.text());
    if (known == nullptr) unit.fail(fmt::format("is '{}'", unit.text()), {unit_advice()});
    file_.unit = *known;
    if (const auto note = root_.find("note")) file_.note = note->text();
    if (const auto policy = root_.find("policy")) policy_ = read_policy(*policy);
    for (const JsonNode& node : root_["cases"].elements()) read_case(node);
  }

 private:
  void read_case(const JsonNode& node) {
    node.allow_only({"name", "policy", "note", "steps"});
    VectorCase one{.name = fmt::format("case {}", file_.cases.size() + 1),
                   .policy = policy_of(node)};
    if (const auto name = node.find("name")) {
      if (name->text().empty()) name->fail("is empty");
      one.name = name->text();
    }
    if (const auto note = node.find("note")) one.note = note->text();
    for (const JsonNode& step : node["steps"].elements()) {
      if (step.is_array()) {
        read_plain_step(step, one);
      } else {
        read_step(step, one);
      }
    }
    if (one.steps.empty()) node["steps"].fail("is empty");
    file_.cases.push_back(std::move(one));
  }

  PolicySpec policy_of(const JsonNode& node) const {
    if (const auto own = node.find("policy")) return read_policy(*own);
    return policy_ ? *policy_ : read_policy(root_["policy"]);
  }

  static PolicySpec read_policy(const JsonNode& node) {
    try {
      return parse_policy(node.text(), "policy");
    } catch (const Error& error) {
      std::vector<std::string> advice = error.diagnostic().advice;
      node.fail(fmt::format("is '{}': {}", node.text(), error.what()), std::move(advice));
    }
  }

  void read_step(const JsonNode& node, VectorCase& one) {
    node.allow_only({"at", "key", "cost", "expect"});
    VectorStep step;
    step.request.key = kDefaultKey;
    if (const auto key = node.find("key")) step.request.key = key->text();
    if (const auto cost = node.find("cost")) step.request.cost = read_cost(*cost);
    if (const auto expect = node.find("expect")) step.expect = read_answer(*expect);
    add(node["at"], step, one);
  }

  /// [at, cost, admitted] or [at, cost, admitted, retryAfter]
  void read_plain_step(const JsonNode& node, VectorCase& one) {
    const std::vector<JsonNode> values = node.elements();
    if (values.size() < 3 || values.size() > 4) {
      node.fail(fmt::format("has {} values", values.size()),
                {"write [at, cost, admitted] or [at, cost, admitted, retryAfter]"});
    }
    VectorStep step;
    step.request.key = kDefaultKey;
    step.request.cost = read_cost(values[1]);
    step.expect.admitted = values[2].boolean();
    if (values.size() == 4) step.expect.retry_after = read_told(values[3], kAnswerFields[1]);
    add(values[0], step, one);
  }

  void add(const JsonNode& at, VectorStep& step, VectorCase& one) {
    Series series;
    if (at.is_text()) {
      const auto parsed = parse_series(at.text());
      if (!parsed) {
        at.fail(fmt::format("is '{}'", at.text()), {"write a number, or a series as in 900+10x3"});
      }
      series = *parsed;
    } else {
      series.at = at.integer();
    }
    if (series.count > kMostSteps - steps_) {
      at.fail(fmt::format("brings the file to more than {} steps", kMostSteps));
    }
    steps_ += series.count;
    const Wide last = Wide{series.at} + Wide{series.step} * static_cast<Wide>(series.count - 1);
    if (!file_.unit.holds(series.at) || !fits_int64(last) ||
        !file_.unit.holds(static_cast<std::int64_t>(last))) {
      at.fail("is beyond all time", {range_advice(file_.unit)});
    }
    for (std::uint64_t i = 0; i < series.count; ++i) {
      step.request.at = series.at + static_cast<std::int64_t>(i) * series.step;
      one.steps.push_back(step);
    }
  }

  const JsonNode& root_;
  VectorFile& file_;
  std::optional<PolicySpec> policy_;  ///< of the cases that name none
  std::uint64_t steps_ = 0;
};

}  // namespace

std::string vectors_json(const VectorFile& file) {
  std::string out;
  JsonWriter json(out);
  const bool one_policy = !file.cases.empty() &&
                          std::all_of(file.cases.begin(), file.cases.end(), [&](const auto& one) {
                            return one.policy.canonical == file.cases.front().policy.canonical;
                          });
  json.open_object(JsonWriter::kLines).member("format").text(kVectorFormat);
  if (one_policy) json.member("policy").text(file.cases.front().policy.canonical);
  json.member("unit").text(file.unit.name);
  if (!file.note.empty()) json.member("note").text(file.note);
  json.member("cases").open_array(JsonWriter::kLines);
  for (const VectorCase& one : file.cases) write_case(json, one, !one_policy);
  json.close().close();
  return out + '\n';
}

VectorFile vectors_from_json(std::string_view text, const std::string& name) {
  const JsonValue value = parse_json(text, name);
  const JsonDocument document{name, "no vectors"};
  const JsonNode root(value, document);
  VectorFile file;
  Reader(root, file).read();
  return file;
}

}  // namespace ratereplay
