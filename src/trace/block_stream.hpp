// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "large_vector.hpp"
#include "trace/block.hpp"
#include "trace/format.hpp"

namespace ratereplay {

class RowBatch;
class Source;

/// Memory for one block, to be used again for the next. Belongs to the caller, who may have several
/// in work at once.
class BlockBuffer {
 public:
  /// Bytes of a block that with its slack fills whole pages, huge ones too.
  static constexpr std::size_t kUsualBytes = (std::size_t{4} << 20) - 2 * Block::kSlack;

  Block block;  ///< valid until this buffer is handed to BlockStream::next again

 private:
  friend class BlockStream;
  char* text() noexcept { return bytes_.data() + Block::kSlack; }
  void reserve(std::size_t size, std::size_t kept);

  LargeVector<char> bytes_;
};

/// Cuts a source into blocks of whole records. Rows, lines and columns do not depend on the size of
/// the blocks. One thread at a time.
class BlockStream {
 public:
  /// With `allow_truncated`, a document that ends too early is a note in truncation() and no error.
  BlockStream(Source& source, RecordCutter& cutter, std::size_t block_bytes,
              bool allow_truncated = false);

  /// Fills `buffer` with the next block; false at the end. Throws Error (kInput) when the source
  /// fails, and, once all blocks have been handed out, when the document was not finished.
  bool next(BlockBuffer& buffer);

  /// What was missing at the end.
  [[nodiscard]] const std::optional<Diagnostic>& truncation() const noexcept { return truncation_; }

 private:
  std::size_t fill(BlockBuffer& buffer, std::size_t size, std::size_t target);
  void emit(BlockBuffer& buffer, std::size_t size, std::size_t cut);
  void emit_oversized(BlockBuffer& buffer, std::size_t size);
  void advance(std::string_view text);
  void finish();

  Source& source_;
  RecordCutter& cutter_;
  std::size_t block_bytes_;
  bool allow_truncated_;
  std::vector<char> carry_;  // the start of a record that the last block did not hold whole
  bool first_ = true;
  bool source_ended_ = false;
  bool finished_ = false;
  std::uint64_t column_ = 1;  // where the next block starts in its line
  std::optional<Diagnostic> truncation_;
};

/// Reads `block` with `reader`, or counts the one bad row that an oversized block is. The way to
/// read a block: readers need not know about oversized ones.
void read_block(const Block& block, BlockReader& reader, RowBatch& batch);

/// The bytes of the bad rows of a block that was read into `batch`, which kept their places: of an
/// oversized one the head alone.
[[nodiscard]] std::vector<std::string_view> bad_records(const Block& block, BlockReader& reader,
                                                        const RowBatch& batch);

}  // namespace ratereplay
