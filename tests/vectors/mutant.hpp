// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vectors/decider.hpp"

namespace ratereplay::test {

/// One mistake in a copy of a policy.
enum class Mutation : std::uint8_t {
  kNone,
  kStrict,           ///< `<` in the place of `<=`
  kDropsRemainder,   ///< a division whose remainder is lost
  kRoundsDown,       ///< a fraction, or an instant, rounded down
  kChargesRefusals,  ///< charges what it refuses; under charge=attempted, charges it no more
  kKeepsEdge,        ///< what is exactly W old, or due exactly now, counts as it did before
  kOneMore,          ///< one unit more than the limit or the capacity
  kUncapped,         ///< silence brings more than the capacity
  kProbeCosts,       ///< cost 0 is charged as 1
  kFoldsKeys,        ///< keys are lower-cased and trimmed
  kTimeRunsBack,     ///< an earlier instant is taken as it is
  kTakesPart,        ///< a refused cost takes what there is
  kAdmitsAboveFull   ///< a fresh key admits any cost
};

inline constexpr std::array<std::pair<Mutation, std::string_view>, 12> kMutations{
    {{Mutation::kStrict, "strict comparison"},
     {Mutation::kDropsRemainder, "drops a remainder"},
     {Mutation::kRoundsDown, "rounds down"},
     {Mutation::kChargesRefusals, "charges refusals otherwise"},
     {Mutation::kKeepsEdge, "keeps what is exactly W old"},
     {Mutation::kOneMore, "one unit more"},
     {Mutation::kUncapped, "no cap on what silence brings"},
     {Mutation::kProbeCosts, "a probe costs"},
     {Mutation::kFoldsKeys, "folds keys"},
     {Mutation::kTimeRunsBack, "time runs back"},
     {Mutation::kTakesPart, "a refused cost takes what there is"},
     {Mutation::kAdmitsAboveFull, "a fresh key admits any cost"}}};

/// A copy of the policies, written apart from the library, with one mistake. Tells decisions only.
class Mutant final : public Decider {
 public:
  explicit Mutant(Mutation mutation) : mutation_(mutation) {}

  void open(const PolicySpec& spec, Unit unit) override;
  Answer decide(const Request& request) override;
  [[nodiscard]] std::optional<std::string> state(std::string_view) const override {
    return std::nullopt;
  }

  /// Whether the mistake can change a decision of this policy.
  [[nodiscard]] static bool matters(Mutation mutation, const AnyPolicy& policy, Unit unit);

 private:
  struct Key {
    bool started = false;
    Wide latest = 0;
    bool asked = false;
    Wide start = 0;                            ///< of the window, or of the steps
    Wide count = 0;                            ///< in the window
    Wide previous = 0;                         ///< in the one before
    Wide tokens = 0;                           ///< in 1/W or whole
    Wide since = 0;                            ///< when the tokens were counted
    std::vector<std::pair<Wide, Wide>> units;  ///< instants and units
  };

  [[nodiscard]] bool is(Mutation mutation) const { return mutation_ == mutation; }
  [[nodiscard]] bool fits(Wide total, Wide most) const {
    return is(Mutation::kStrict) ? total < most : total <= most;
  }
  /// Whether what happened at `from` is over at t, `length` ns later.
  [[nodiscard]] bool over(Wide from, Wide length, Wide t) const {
    return is(Mutation::kKeepsEdge) ? t > from + length : t >= from + length;
  }
  [[nodiscard]] Wide life() const;
  [[nodiscard]] Wide grid(Wide t) const;

  bool fixed_window(Key& key, Wide t, Wide n) const;
  bool sliding_log(Key& key, Wide t, Wide n) const;
  bool sliding_counter(Key& key, Wide t, Wide n) const;
  bool bucket(Key& key, Wide t, Wide n) const;
  bool stepped(Key& key, Wide t, Wide n) const;
  [[nodiscard]] Wide past(const Key& key, Wide t) const;
  /// What a request takes: all when admitted; when refused, what charge= or the mistake says.
  [[nodiscard]] Wide taken(bool admitted, Wide n, Wide room) const;

  Mutation mutation_;
  std::string_view algorithm_;
  Unit unit_;
  Options options_;
  Wide limit_ = 0;
  Wide window_ = 0;
  Wide capacity_ = 0;
  std::map<std::string, Key> keys_;
};

}  // namespace ratereplay::test
