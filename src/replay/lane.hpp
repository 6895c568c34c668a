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
  std::span<const std::int64_t> at;      ///< ns
  std::span<const Cost> cost;            ///< empty when each is 1
  std::span<const BucketRun> runs;       ///< all rows, in order
  std::span<const std::uint32_t> ticks;  ///< whole ticks since the first; empty when not known
  bool plain;  ///< single units at plain instants, none before the buckets
};

/// What a lane decided for the rows of one key.
struct Verdicts {
  /// Rows [first, end).
  struct Run {
    std::size_t first;
    std::size_t end;
  };
  std::size_t refused = 0;
  std::vector<Run> runs;  ///< the refused rows, in order

  void clear() {
    refused = 0;
    runs.clear();
  }
  /// Rows [first, end) are refused, which are behind those before.
  void refuse(std::size_t first, std::size_t end) {
    refused += end - first;
    if (!runs.empty() && runs.back().end == first) {
      runs.back().end = end;
    } else {
      runs.push_back({first, end});
    }
  }
};

/// Room for the admissions of one key, shared by the lanes of a thread.
struct Admissions {
  std::vector<std::int64_t> at;
  std::vector<Cost> cost;  ///< stays empty where each is 1
  std::vector<BucketRun> runs;
};

/// One configuration in a run. A lane replays key after key and keeps nothing of a key but what it
/// adds to its tallies; each thread has its own.
class Lane {
 public:
  virtual ~Lane() = default;
  virtual void replay(const KeyRows& rows, Verdicts& verdicts) = 0;
  /// The same for a key that is calm here (see concept CalmPolicy), or for several that are plain
  /// too and whose rows and runs follow on each other in memory, on behalf of all lanes that differ
  /// from this one in a greater limit only.
  virtual void replay_calm(std::span<const KeyRows> keys) = 0;
  [[nodiscard]] virtual Tally& tally() = 0;
  /// What replay_calm adds to.
  [[nodiscard]] virtual Tally& calm_tally() = 0;
};

/// `buckets` and `admissions` must outlive the lane.
[[nodiscard]] std::unique_ptr<Lane> make_lane(const AnyPolicy& policy, Duration tick,
                                              const Buckets& buckets, std::size_t top,
                                              Admissions& admissions);

/// Counts where `lane` admits and `reference` does not, and the other way round. Of equal size.
void compare(std::span<const Outcome> lane, std::span<const Outcome> reference,
             Agreement& agreement);
void compare(const Verdicts& lane, const Verdicts& reference, Agreement& agreement);

}  // namespace ratereplay
