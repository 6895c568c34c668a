// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"

/// What each policy decides, a second time: from the full history of what was charged, straight
/// from the definitions, with waits found by trying. Slow and obvious; shares no code with the
/// library but the types of its questions and answers.
namespace reference {

__extension__ typedef __int128 Int;

/// How waits are found: trying every instant (which would also expose a policy that admits, then
/// refuses, then admits), or by bisection for long ones.
enum class Search { kEveryInstant, kBisect };

class Model {
 public:
  Model(std::string_view policy, ratereplay::Limit limit, const ratereplay::Options& options,
        Search search);

  /// The whole answer; charges what is to be charged.
  ratereplay::Decision admit(ratereplay::Instant now, ratereplay::Cost cost,
                             ratereplay::Duration tick);

  /// Whether `cost` would be admitted at `now`, nothing else arriving.
  [[nodiscard]] bool admits(Int now, Int cost) const;

  /// leaky-bucket: units waiting at the latest instant.
  [[nodiscard]] Int queued() const;

 private:
  struct Charged {
    Int at;  ///< seen time
    Int cost;
  };

  [[nodiscard]] Int seen(Int now) const;
  using Rule = bool (Model::*)(Int seen_now, Int cost) const;
  [[nodiscard]] Rule rule() const;
  [[nodiscard]] bool fixed_window(Int t, Int n) const;
  [[nodiscard]] bool sliding_log(Int t, Int n) const;
  [[nodiscard]] bool sliding_counter(Int t, Int n) const;
  [[nodiscard]] bool gcra(Int t, Int n) const;
  [[nodiscard]] bool tokens(Int t, Int n) const;
  [[nodiscard]] bool stepped_tokens(Int t, Int n) const;
  [[nodiscard]] bool queue(Int t, Int n) const;
  [[nodiscard]] Int level(Int t) const;
  [[nodiscard]] Int first_admitting(Int now, Int cost, Int step) const;
  [[nodiscard]] Int most_admitted(Int now) const;

  std::string policy_;
  Int limit_;
  Int window_;
  Int capacity_;
  Int clock_;
  ratereplay::Options options_;
  Search search_;
  Rule rule_;
  std::vector<Charged> history_;
  Int latest_;
};

}  // namespace reference
