// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "keys/row_batch.hpp"
#include "keys/shown_key.hpp"
#include "trace/block.hpp"
#include "trace/detect.hpp"
#include "trace/format.hpp"
#include "trace/spelled.hpp"

namespace ratereplay {

/// A text as a block, with the bytes around it that a reader may look at.
class PaddedText {
 public:
  explicit PaddedText(std::string_view text)
      : bytes_(text.size() + 2 * Block::kSlack, '#'), size_(text.size()) {
    std::copy(text.begin(), text.end(), bytes_.begin() + Block::kSlack);
  }
  [[nodiscard]] std::string_view text() const { return {bytes_.data() + Block::kSlack, size_}; }

 private:
  std::vector<char> bytes_;
  std::size_t size_;
};

struct ReadRow {
  std::uint32_t row = 0;
  std::string at;
  std::string key;  // as shown
  Cost cost = 0;

  friend bool operator==(const ReadRow&, const ReadRow&) = default;
};

struct ReadText {
  ReadPlan plan;
  std::uint32_t rows = 0;
  std::vector<ReadRow> requests;  // in the order of the file
  std::vector<BadRow> bad;        // the first of each kind
  std::uint64_t bad_count = 0;
  std::uint64_t lines = 0;
};

/// The whole way from a text to rows, as one block.
inline ReadText read_text(std::string_view text, const ReadFlags& flags = {}) {
  const PaddedText padded(text);
  ReadText out;
  out.plan = make_plan({padded.text(), true}, "sample", flags);
  RowBatch batch;
  out.plan.format->reader(out.plan)->read({padded.text(), true}, batch);
  out.rows = batch.rows();
  out.lines = batch.lines();
  for (std::size_t i = 0; i < RowBatch::kPartitions; ++i) {
    const std::span<const RowDetail> details = batch.details(i);
    for (std::size_t j = 0; j < details.size(); ++j) {
      const RawRow& row = batch.partition(i)[j];
      out.requests.push_back({details[j].row,
                              spelled(Instant(Duration(row.at)), out.plan.time_format.absolute()),
                              shown_key(row.key.text(), out.plan.key), details[j].cost});
    }
  }
  std::sort(out.requests.begin(), out.requests.end(),
            [](const ReadRow& a, const ReadRow& b) { return a.row < b.row; });
  for (std::size_t kind = 0; kind < kBadKindNames.size(); ++kind) {
    const auto& first = batch.first_bad(static_cast<BadKind>(kind));
    out.bad.insert(out.bad.end(), first.begin(), first.end());
    out.bad_count += batch.bad(static_cast<BadKind>(kind));
  }
  return out;
}

/// A file of the traces that lie beside the project, where they do.
inline std::optional<std::string> shared_trace(const std::string& name) {
  std::ifstream file(std::string(RATEREPLAY_SOURCE_DIR) + "/../shared/traces/" + name,
                     std::ios::binary);
  if (!file)
    file.open(std::string(RATEREPLAY_SOURCE_DIR) + "/../../shared/traces/" + name,
              std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace ratereplay
