// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "error.hpp"
#include "keys/bad_row_allowance.hpp"
#include "keys/partition.hpp"
#include "keys/row_batch.hpp"
#include "keys/stamp_ranks.hpp"
#include "report/result.hpp"

namespace ratereplay {

/// Counts the rows of a trace, block by block in the order of its files, into the facts of it.
class TraceAccount {
 public:
  /// `facts` must outlive it. Under Order::kStrict no row may be earlier than the one before it.
  TraceAccount(TraceFacts& facts, Order order);

  void start_file(std::string path, std::string_view compression);
  /// The file begun last.
  [[nodiscard]] TraceFile& file() { return facts_.files.back(); }
  /// The next block of this file. Error(kInput) when its rows go back in time and may not.
  void add(const RowBatch& batch);

  /// All blocks were added, and their rows taken in. Error(kInput) when no request is left or more
  /// rows are bad than allowed.
  void finish(std::span<const Partition> partitions, const BadRowAllowance& allowance);
  /// After finish: the requests of a file on one stamp move apart.
  void spread(const StampRanks& stamps);

 private:
  void note_times(const RowBatch::Times& times);
  [[nodiscard]] Error too_many_bad_rows(std::uint64_t bad, const BadRowAllowance& allowance) const;
  [[nodiscard]] Error no_request() const;

  TraceFacts& facts_;
  bool strict_;
  std::uint64_t file_lines_ = 0;        ///< in the blocks before
  std::optional<std::int64_t> latest_;  ///< in this file
  std::int64_t last_at_ = 0;            ///< of the last request before the block, in this file
  std::int64_t earliest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t latest_all_ = std::numeric_limits<std::int64_t>::min();
  std::uint64_t max_back_ = 0;
  std::array<BadKindCount, kBadKindNames.size()> bad_;
  std::unordered_map<std::int64_t, std::uint64_t> seconds_;  ///< requests in each
};

}  // namespace ratereplay
