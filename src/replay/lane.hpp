// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "keys/key.hpp"
#include "measure/tally.hpp"
#include "ratereplay/decision.hpp"
#include "ratereplay/policies.hpp"

namespace ratereplay {

/// The requests of one key in replay order.
struct KeyRows {
  PackedKey key;
  std::span<const std::int64_t> at;       ///< ns
  std::span<const Cost> cost;             ///< empty when each is 1
  std::span<const std::uint32_t> bucket;  ///< Buckets::index of each instant
};

/// What a lane decided for the rows of one key.
struct Verdicts {
  std::vector<Outcome> outcome;  ///< one per row
  std::uint64_t refused = 0;
};

/// One configuration in a run. A lane replays key after key and keeps nothing of a key but what it
/// adds to its tally; each thread has its own.
class Lane {
 public:
  virtual ~Lane() = default;
  virtual void replay(const KeyRows& rows, Verdicts& verdicts) = 0;
  [[nodiscard]] virtual Tally& tally() = 0;
};

/// `buckets` must outlive the lane.
[[nodiscard]] std::unique_ptr<Lane> make_lane(const AnyPolicy& policy, Duration tick,
                                              const Buckets& buckets, std::size_t top);

/// Counts where `lane` and `reference` agree on the rows of one key.
void compare(const Verdicts& lane, const Verdicts& reference, Agreement& agreement);

}  // namespace ratereplay
