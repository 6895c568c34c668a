// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "trace/cell.hpp"
#include "trace/plan.hpp"

namespace ratereplay {

class RowBatch;

/// From the wanted cells of a record to a row: reads the time, composes the key, sums the cost, and
/// counts what fails with the place of the cell at fault. The same for every format.
class RowBuilder {
 public:
  explicit RowBuilder(const ReadPlan& plan);

  /// `cells[i]` is the field plan.wanted[i]; `line` is that of the record's start, 1-based within
  /// the block.
  void build(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch);
};

}  // namespace ratereplay
