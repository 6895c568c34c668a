// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/bad_row.hpp"
#include "trace/detect.hpp"
#include "trace/source.hpp"

namespace ratereplay::testing {

/// A request as read, with its number from 1.
struct ReadRow {
  std::uint64_t row = 0;
  std::int64_t at = 0;  ///< ns
  std::string key;
  std::uint32_t cost = 0;
  friend bool operator==(const ReadRow&, const ReadRow&) = default;
};

/// Everything that became of a trace.
struct ReadResult {
  std::string format;
  std::uint64_t rows = 0;
  std::uint64_t filtered = 0;
  std::uint64_t lines = 0;
  std::array<std::uint64_t, kBadKindNames.size()> bad{};
  std::vector<ReadRow> requests;
  std::vector<std::string> bad_rows;  ///< "line:column kind reason", the first ones of each kind
  std::string truncation;
  std::string error;

  [[nodiscard]] std::uint64_t all_bad() const;
  /// Takes the next block in and leaves the requests in the order of the rows.
  void add(const RowBatch& batch);
  friend bool operator==(const ReadResult&, const ReadResult&) = default;
};

/// A source over `text`, which must live on.
std::unique_ptr<Source> text_source(std::string_view text);

inline constexpr std::size_t kOneBlock = std::size_t{32} << 20;

/// Reads a whole source by the program's own parts.
ReadResult read_source(Source& source, const ReadPlan& plan, std::size_t block_bytes = kOneBlock);
ReadResult read_text(std::string_view text, const ReadFlags& flags,
                     std::size_t block_bytes = kOneBlock);
/// Reads it in blocks of many sizes, requires that they agree, and returns what they agree on.
ReadResult read_text_in_all_blocks(std::string_view text, const ReadFlags& flags);

/// -F, --time-field, --time-format, -k, --cost-field; an empty text leaves the choice to detection.
ReadFlags flags_of(const char* format, const char* time, const char* style, const char* key,
                   const char* cost);

/// A file of the recorded traces that stand beside the project's folder; absent where they do not.
std::optional<std::filesystem::path> recorded_trace(const char* name);

}  // namespace ratereplay::testing
