// SPDX-License-Identifier: Apache-2.0
#include "keys/stamp_ranks.hpp"

namespace ratereplay {

void StampRanks::rank(const RowBatch& batch, std::vector<std::uint32_t>& ranks) {
  ranks.assign(batch.rows(), 0);
  rows_.assign(batch.rows(), nullptr);
  for (std::size_t i = 0; i < RowBatch::kPartitions; ++i) {
    const std::span<const RawRow> rows = batch.partition(i);
    const std::span<const RowDetail> details = batch.details(i);
    for (std::size_t j = 0; j < rows.size(); ++j) rows_[details[j].row] = &rows[j];
  }
  std::uint32_t* count = nullptr;
  std::int64_t stamp = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] == nullptr) continue;
    if (count == nullptr || rows_[i]->at != stamp) {
      stamp = rows_[i]->at;
      count = &counts_[stamp];
      unit_.include(stamp);
      if (!latest_ || stamp > *latest_) latest_ = stamp;
    }
    ranks[i] = (*count)++;
  }
}

std::int64_t StampRanks::spread(std::int64_t stamp, std::uint32_t rank) const noexcept {
  __extension__ using Wide = __int128;
  const auto shift = static_cast<std::int64_t>(Wide{rank} * resolution() / counts_.at(stamp));
  std::int64_t at = 0;
  return __builtin_add_overflow(stamp, shift, &at) ? stamp : at;
}

std::optional<std::int64_t> StampRanks::last() const noexcept {
  if (!latest_) return std::nullopt;
  return spread(*latest_, counts_.at(*latest_) - 1);
}

}  // namespace ratereplay
