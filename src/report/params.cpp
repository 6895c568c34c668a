// SPDX-License-Identifier: Apache-2.0
#include "report/params.hpp"

#include <variant>

#include "report/number_text.hpp"
#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

std::string_view param_name(Option option) {
  switch (option) {
    case Option::kCapacity:
      return "capacity";
    case Option::kRound:
      return "round";
    case Option::kAnchor:
      return "anchor";
    case Option::kBoundary:
      return "boundary";
    case Option::kRefill:
      return "refill";
    case Option::kMode:
      return "mode";
    case Option::kCharge:
      return "charge";
    case Option::kClock:
      return "clockMs";
  }
  return "";
}

}  // namespace

std::vector<Param> params_of(const AnyPolicy& policy) {
  const Limit& limit = limit_of(policy);
  const Options& options = options_of(policy);
  const auto algorithm = std::visit([](const auto& made) { return made.kName; }, policy);
  const auto capacity = capacity_of(policy);
  std::vector<Param> params;
  params.push_back({"algorithm", std::string(algorithm), false});
  params.push_back({"limit", count_text(static_cast<Digits>(limit.count)), true});
  params.push_back({"windowMs", ms_text(limit.window), true});
  params.push_back({"capacity", count_text(static_cast<Digits>(capacity)), true});
  for (const Option option : taken_options(policy)) {
    if (option == Option::kCapacity) continue;
    Param param{param_name(option), option_text(options, option), false};
    if (option == Option::kClock) {
      param.number = true;
      if (options.clock) param.value = ms_text(*options.clock);
    }
    params.push_back(std::move(param));
  }
  return params;
}

void write_params(JsonWriter& json, const AnyPolicy& policy) {
  json.member("params").open_object(JsonWriter::kOneLine);
  for (const Param& param : params_of(policy)) {
    json.member(param.name);
    if (!param.value) {
      json.null();
    } else if (param.number) {
      json.raw(*param.value);
    } else {
      json.text(*param.value);
    }
  }
  json.close();
}

}  // namespace ratereplay
