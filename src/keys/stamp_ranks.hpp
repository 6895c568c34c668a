// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "keys/row_batch.hpp"
#include "keys/time_unit.hpp"

namespace ratereplay {

/// Where the requests of one file would lie if those on one stamp came evenly spaced and in the
/// order of the file: the i-th of n, from 0, at stamp + i * resolution / n, rounded down. The
/// resolution is that of the file. All keys together, so that the instant of a row does not depend
/// on what is chosen as the key.
class StampRanks {
 public:
  /// The rank of every request of the file's next batch, which keeps row numbers, on its stamp, by
  /// its row in the batch.
  void rank(const RowBatch& batch, std::vector<std::uint32_t>& ranks);

  /// Once every batch was ranked.
  [[nodiscard]] std::int64_t spread(std::int64_t stamp, std::uint32_t rank) const noexcept;
  /// The latest request.
  [[nodiscard]] std::optional<std::int64_t> last() const noexcept;

  [[nodiscard]] std::int64_t resolution() const noexcept { return unit_.nanos(counts_.size() > 1); }
  /// Requests by stamp.
  [[nodiscard]] const std::unordered_map<std::int64_t, std::uint32_t>& counts() const noexcept {
    return counts_;
  }

 private:
  std::unordered_map<std::int64_t, std::uint32_t> counts_;
  TimeUnit unit_;
  std::optional<std::int64_t> latest_;
  std::vector<const RawRow*> rows_;
};

}  // namespace ratereplay
