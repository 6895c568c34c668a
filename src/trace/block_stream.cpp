// SPDX-License-Identifier: Apache-2.0
#include "trace/block_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "keys/row_batch.hpp"
#include "trace/source.hpp"

namespace ratereplay {

namespace {

/// What an oversized block shows of its record.
constexpr std::size_t kHeadBytes = 256;

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

RecordCutter::Skipped RecordCutter::skip(std::string_view text) {
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return {text.size(), false};
  return {line + 1, true};
}

void BlockBuffer::reserve(std::size_t size, std::size_t kept) {
  const std::size_t whole = size + 2 * Block::kSlack;
  if (whole <= bytes_.size()) return;
  LargeVector<char> bytes(whole);
  std::memset(bytes.data(), 0, Block::kSlack);
  if (kept > 0) std::memcpy(bytes.data() + Block::kSlack, text(), kept);
  bytes_ = std::move(bytes);
}

BlockStream::BlockStream(Source& source, RecordCutter& cutter, std::size_t block_bytes,
                         bool allow_truncated)
    : source_(source),
      cutter_(cutter),
      block_bytes_(std::max<std::size_t>(block_bytes, 1)),
      allow_truncated_(allow_truncated) {}

bool BlockStream::next(BlockBuffer& buffer) {
  std::size_t target = std::max(block_bytes_, carry_.size());
  buffer.reserve(target, 0);
  std::copy(carry_.begin(), carry_.end(), buffer.text());
  std::size_t size = carry_.size();
  carry_.clear();
  while (true) {
    size = fill(buffer, size, target);
    if (size == 0) {
      finish();
      return false;
    }
    const bool tail = cutter_.past_records();
    const bool cut_off = source_ended_ && source_.truncated();
    std::shared_ptr<const std::string> header = cutter_.header();
    const std::string_view text(buffer.text(), size);
    std::size_t cut = cutter_.cut(text, source_ended_ && !cut_off);
    if (cut == 0 && cut_off) cut = cutter_.cut_before_loss(text);
    if (cut > 0) {
      emit(buffer, size, cut);
      buffer.block.tail = tail;
      buffer.block.header = std::move(header);
      return true;
    }
    if (cut_off) {
      emit(buffer, size, size);
      buffer.block.header = std::move(header);
      buffer.block.cut_off = true;
      return true;
    }
    if (size > kMaxRecordBytes) {
      emit_oversized(buffer, size);
      return true;
    }
    target = std::max(size + 1, std::min(2 * size, kMaxRecordBytes + 1));
    buffer.reserve(target, size);
  }
}

std::size_t BlockStream::fill(BlockBuffer& buffer, std::size_t size, std::size_t target) {
  while (size < target && !source_ended_) {
    const std::size_t got = source_.read(buffer.text() + size, target - size);
    source_ended_ = got == 0;
    size += got;
  }
  return size;
}

void BlockStream::emit(BlockBuffer& buffer, std::size_t size, std::size_t cut) {
  const char* const text = buffer.text();
  carry_.assign(text + cut, text + size);
  std::memset(buffer.text() + cut, 0, Block::kSlack);
  buffer.block = Block{};
  buffer.block.text = {text, cut};
  buffer.block.first_of_file = first_;
  buffer.block.first_column = column_;
  first_ = false;
  advance(buffer.block.text);
}

void BlockStream::emit_oversized(BlockBuffer& buffer, std::size_t size) {
  Block block;
  block.first_of_file = first_;
  block.first_column = column_;
  block.oversized = true;
  first_ = false;
  // The head stays at the front of the buffer; what follows is dropped piece by piece behind it.
  std::size_t from = 0;
  while (true) {
    const std::string_view piece(buffer.text() + from, size - from);
    const RecordCutter::Skipped skipped = cutter_.skip(piece);
    const std::string_view dropped = piece.substr(0, skipped.bytes);
    block.lines += count_lines(dropped);
    advance(dropped);
    if (skipped.done) {
      carry_.assign(piece.begin() + static_cast<std::ptrdiff_t>(skipped.bytes), piece.end());
      break;
    }
    from = kHeadBytes;
    size = fill(buffer, from, std::min(size, from + block_bytes_));
    if (size == from) break;
  }
  std::memset(buffer.text() + kHeadBytes, 0, Block::kSlack);
  block.text = {buffer.text(), kHeadBytes};
  buffer.block = block;
}

void BlockStream::advance(std::string_view text) {
  const std::size_t last = text.rfind('\n');
  column_ = last == std::string_view::npos ? column_ + text.size() : text.size() - last;
}

void BlockStream::finish() {
  if (finished_) return;
  finished_ = true;
  const std::optional<std::string> missing = cutter_.unfinished();
  // Of a cut-off source it is already known.
  if (!missing || source_.truncated()) return;
  truncation_ = Diagnostic{.message = fmt::format("{}: {}", source_.name(), *missing),
                           .place = std::nullopt,
                           .advice = {"--allow-truncated takes the rows up to there"}};
  if (!allow_truncated_) throw Error(ErrorKind::kInput, *truncation_);
}

void read_block(const Block& block, BlockReader& reader, RowBatch& batch) {
  if (block.tail) {
    batch.set_lines(count_lines(block.text));
    return;
  }
  if (block.cut_off) {
    const std::size_t start = block.text.find_first_not_of(" \t\r\n");
    if (start != std::string_view::npos && block.text[start] != '#') {
      batch.add_bad(BadKind::kTruncated, 1, block.first_column,
                    [] { return std::string("the file is cut off inside this record"); });
    }
    batch.set_lines(count_lines(block.text));
    return;
  }
  if (!block.oversized) {
    reader.read(block, batch);
    return;
  }
  batch.add_bad(BadKind::kLength, 1, block.first_column, too_long);
  batch.set_lines(block.lines);
}

std::vector<std::string_view> bad_records(const Block& block, BlockReader& reader,
                                          const RowBatch& batch) {
  if (batch.bad_places().empty()) return {};
  if (block.oversized || block.cut_off) return {block.text};
  return reader.records(block, batch.bad_places());
}

}  // namespace ratereplay
