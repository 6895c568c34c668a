// SPDX-License-Identifier: Apache-2.0
#include "identify/variants.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

/// `made` once for each value of the option.
template <class Set>
std::vector<Options> multiplied(const std::vector<Options>& made, std::size_t values,
                                const Set& set) {
  std::vector<Options> all;
  for (std::size_t value = 0; value < values; ++value) {
    for (Options options : made) {
      set(options, value);
      all.push_back(options);
    }
  }
  return all;
}

}  // namespace

std::vector<PolicySpec> variants_of(const Limit& limit, std::span<const std::int64_t> capacities,
                                    std::span<const Duration> clocks) {
  std::vector<PolicySpec> variants;
  for (std::size_t clock = 0; clock <= clocks.size(); ++clock) {
    for (const std::string_view name : kPolicyNames) {
      std::vector<Options> made(1);
      for (const Option option : taken_options(name)) {
        if (option == Option::kClock) continue;
        if (option == Option::kCapacity) {
          made = multiplied(made, capacities.size(), [&](Options& options, std::size_t i) {
            options.capacity = capacities[i];
          });
        } else {
          made = multiplied(made, option_words(option).size(),
                            [&](Options& options, std::size_t i) { set_word(options, option, i); });
        }
      }
      for (Options& options : made) {
        if (clock > 0) options.clock = clocks[clock - 1];
        try {
          AnyPolicy policy = make_policy(name, limit, options);
          std::string canonical = canonical_text(policy);
          variants.push_back({{}, std::move(canonical), policy});
        } catch (const std::invalid_argument&) {
          // Options that exclude each other make no policy.
        }
      }
    }
  }
  return variants;
}

}  // namespace ratereplay
