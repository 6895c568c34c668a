// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "keys/row_batch.hpp"
#include "trace/format.hpp"

namespace ratereplay {

/// Cuts where every record is one line.
class LineCutter final : public RecordCutter {
 public:
  std::size_t cut(std::string_view text, bool last) override;
};

/// A line without what is no text in front: the NUL bytes that a log cut off under its writer
/// begins with, and a byte order mark, which also stands in the middle where files were joined.
[[nodiscard]] std::string_view skip_no_text(std::string_view line) noexcept;

/// Takes the next line off `text`: without its line feed, a carriage return before it, and what
/// skip_no_text leaves out.
[[nodiscard]] std::string_view take_line(std::string_view& text) noexcept;

/// How many bytes of `text` so many lines take, line feeds included.
[[nodiscard]] std::size_t size_of_lines(std::string_view text, std::uint64_t lines) noexcept;

/// Text without a UTF-8 byte order mark in front.
[[nodiscard]] std::string_view skip_bom(std::string_view text) noexcept;

/// Logs of one record a line: blank lines and comments are none.
[[nodiscard]] inline bool is_record_line(std::string_view line) noexcept {
  return !line.empty() && line.front() != '#';
}

/// A field of a record line as a cell; one without data is missing, at fault where the line ends.
[[nodiscard]] inline Cell field_cell(std::string_view line, std::string_view field) noexcept {
  if (field.data() == nullptr) {
    return {field, CellKind::kMissing, static_cast<std::uint32_t>(line.size() + 1)};
  }
  return {field, CellKind::kText, static_cast<std::uint32_t>(field.data() - line.data() + 1)};
}

/// Calls use(record) for every record of a sample.
template <class Use>
void each_record_line(const Sample& sample, Use use) {
  std::string_view text = skip_bom(sample.text);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (is_record_line(line)) use(line);
  }
}

/// Calls use(record, line, shift) for every record of a block: its number from 1, and how many
/// bytes stand before it in its line. Adds those that are too long as bad rows, and sets the lines.
template <class Use>
void read_record_lines(const Block& block, RowBatch& batch, Use use) {
  std::string_view text = block.text;
  std::uint64_t line = 0;
  std::uint64_t feeds = 0;
  while (!text.empty()) {
    const char* const begin = text.data();
    const std::string_view record = take_line(text);
    const auto shift = static_cast<std::uint32_t>(record.data() - begin);
    ++line;
    if (text.data()[-1] == '\n') ++feeds;
    if (is_record_line(record)) {
      if (record.size() > kMaxRecordBytes) [[unlikely]] {
        batch.add_bad(BadKind::kLength, line, 1,
                      [] { return std::string("the line is longer than 16 MiB"); });
      } else {
        use(record, line, shift);
      }
    }
  }
  batch.set_lines(feeds);
}

}  // namespace ratereplay
