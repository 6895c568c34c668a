// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ratereplay {

/// A piece of one trace file that starts and ends between two records. The bytes around it may be
/// read (not used) for kSlack bytes on both sides, so that vector loads need no bounds check.
struct Block {
  static constexpr std::size_t kSlack = 64;

  std::string_view text;
  bool first_of_file = false;
  std::uint64_t first_column = 1;  ///< of the first byte in its line; not 1 in one-line documents

  /// The block is a single record longer than kMaxRecordBytes, of which `text` is only the head and
  /// `lines` the number of line feeds in the whole. See read_block.
  bool oversized = false;
  std::uint64_t lines = 0;

  /// The start of a record whose rest the cut-off file does not hold. See read_block.
  bool cut_off = false;

  /// Lines of earlier blocks that say how to read this one; see RecordCutter::header.
  std::shared_ptr<const std::string> header;

  /// Only the end of a document, which holds no records. See read_block.
  bool tail = false;
};

/// Records longer than this, line end included, are bad rows.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20;

/// Why such a row is bad.
[[nodiscard]] inline std::string too_long() {
  return "longer than " + std::to_string(kMaxRecordBytes >> 20) + " MiB";
}

}  // namespace ratereplay
