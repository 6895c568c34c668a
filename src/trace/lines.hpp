// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

[[nodiscard]] inline bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// Neither blank nor a comment.
[[nodiscard]] inline bool is_row(std::string_view line) noexcept {
  return !is_blank(line) && line.front() != '#';
}

/// Logs of one record a line: empty lines and comments are none.
[[nodiscard]] inline bool is_record_line(std::string_view line) noexcept {
  return !line.empty() && line.front() != '#';
}

/// A field of a record line as a cell; one without data is missing, at fault where the line ends.
/// `shift` bytes stand before the record in its line.
[[nodiscard]] inline Cell field_cell(std::string_view line, std::string_view field,
                                     std::uint32_t shift = 0) noexcept {
  if (field.data() == nullptr) {
    return {field, CellKind::kMissing, static_cast<std::uint32_t>(line.size() + 1) + shift};
  }
  return {field, CellKind::kText,
          static_cast<std::uint32_t>(field.data() - line.data() + 1) + shift};
}

/// Adds a record to a table that has a field for each of the texts.
inline void add_record(SampleTable& table, std::string_view line,
                       std::span<const std::string_view> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    table.fields[i].cells.push_back(field_cell(line, texts[i]));
  }
  ++table.records;
}

/// Calls use(record) for every record of a sample.
template <class Use>
void each_record_line(const Sample& sample, Use use) {
  std::string_view text = sample.text;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (is_record_line(line)) use(line);
  }
}

/// How sure it is that a sample is of a format, by the record lines for which fits(line) holds. So
/// special lines are hardly ever there by chance, so that junk between does not count much.
template <class Fits>
[[nodiscard]] int score_record_lines(const Sample& sample, Fits fits) {
  std::size_t lines = 0;
  std::size_t fitting = 0;
  each_record_line(sample, [&](std::string_view line) {
    ++lines;
    if (fits(line)) ++fitting;
  });
  return fitting == 0 ? 0 : static_cast<int>(500 + 500 * fitting / lines);
}

/// Calls use(text, line, shift) for every line of a block: its number from 1, and how many bytes
/// stand before the text in it. Adds those that are too long as bad rows, and sets the lines. What
/// take_short(text) takes care of, the first bytes of the text, is passed over; they are one line,
/// or none.
template <class Use, class TakeShort = decltype([](std::string_view) { return std::size_t{0}; })>
void read_lines(const Block& block, RowBatch& batch, Use use, TakeShort take_short = {}) {
  std::string_view text = block.text;
  std::uint64_t line = 0;
  while (!text.empty()) {
    if (const std::size_t taken = take_short(text); taken != 0) {
      text.remove_prefix(taken);
      ++line;
      continue;
    }
    const char* const begin = text.data();
    const std::string_view shown = take_line(text);
    ++line;
    if (static_cast<std::size_t>(text.data() - begin) > kMaxRecordBytes) [[unlikely]] {
      batch.add_bad(BadKind::kLength, line, 1, too_long);
    } else {
      use(shown, line, static_cast<std::uint32_t>(shown.data() - begin));
    }
  }
  const bool unended = !block.text.empty() && block.text.back() != '\n';
  batch.set_lines(line - (unended ? 1 : 0));
}

/// The same for the records among them.
template <class Use, class... TakeShort>
void read_record_lines(const Block& block, RowBatch& batch, Use use, TakeShort... take_short) {
  const auto use_record = [&](std::string_view record, std::uint64_t line, std::uint32_t shift) {
    if (is_record_line(record)) use(record, line, shift);
  };
  read_lines(block, batch, use_record, take_short...);
}

/// The records of a block at these places, in order; size_of(text) says how long the one is that
/// the text starts with.
template <class SizeOf>
[[nodiscard]] std::vector<std::string_view> records_at(const Block& block,
                                                       std::span<const BadRowPlace> places,
                                                       SizeOf size_of) {
  std::vector<std::string_view> found;
  std::string_view text = block.text;
  std::uint64_t line = 1;
  for (const BadRowPlace& place : places) {
    text.remove_prefix(size_of_lines(text, place.line - line));
    line = place.line;
    found.push_back(text.substr(0, size_of(text)));
  }
  return found;
}

}  // namespace ratereplay
