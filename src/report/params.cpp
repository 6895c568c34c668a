// SPDX-License-Identifier: Apache-2.0
#include "report/params.hpp"

#include <utility>
#include <variant>

#include "report/number_text.hpp"

namespace ratereplay {
namespace {

template <class Value>
Param choice(std::string_view name, std::optional<Value> value,
             std::initializer_list<std::string_view> names) {
  if (!value) return {name, std::nullopt, false};
  return {name, std::string(names.begin()[static_cast<std::size_t>(*value)]), false};
}

Param option_param(Option option, const Options& options) {
  switch (option) {
    case Option::kRound:
      return choice("round", options.round, {"floor", "exact", "nearest", "ceil"});
    case Option::kAnchor:
      return choice("anchor", options.anchor, {"epoch", "first"});
    case Option::kBoundary:
      return choice("boundary", options.boundary, {"half-open", "closed"});
    case Option::kRefill:
      return choice("refill", options.refill, {"continuous", "interval"});
    case Option::kMode:
      return choice("mode", options.mode, {"queue", "meter"});
    case Option::kCharge:
      return choice("charge", options.charge, {"admitted", "attempted"});
    case Option::kCapacity:
    case Option::kClock:
      break;
  }
  if (!options.clock) return {"clockMs", std::nullopt, true};
  return {"clockMs", ms_text(*options.clock), true};
}

}  // namespace

std::vector<Param> params_of(const AnyPolicy& policy) {
  return std::visit(
      [](const auto& made) {
        const Limit limit = made.limit();
        std::vector<Param> params;
        params.push_back({"algorithm", std::string(made.kName), false});
        params.push_back({"limit", count_text(static_cast<Wide>(limit.count)), true});
        params.push_back({"windowMs", ms_text(limit.window), true});
        params.push_back({"capacity", count_text(static_cast<Wide>(made.capacity())), true});
        for (const Option option : made.kOptions) {
          if (option != Option::kCapacity) params.push_back(option_param(option, made.options()));
        }
        return params;
      },
      policy);
}

}  // namespace ratereplay
