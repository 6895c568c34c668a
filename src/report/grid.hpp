// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ratereplay {

inline constexpr std::size_t kTableColumns = 100;

/// Terminal columns of a text without controls: one per code point, two for East Asian wide ones.
[[nodiscard]] std::size_t text_columns(std::string_view text);

/// Bytes of the longest beginning of the text that takes at most that many columns.
[[nodiscard]] std::size_t head_bytes(std::string_view text, std::size_t columns);

enum class Cut : std::uint8_t { kEnd, kMiddle };

/// The text when it has at most that many columns (>= 1), else shortened at the end or in the
/// middle with an ellipsis in the place of what was left out.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns,
                                    Cut cut = Cut::kEnd);

/// Items joined by blanks and broken into lines before the right margin; all but the first line
/// start with `indent` blanks, and `column` is where the first one starts.
[[nodiscard]] std::string wrapped(const std::vector<std::string>& items, std::size_t column,
                                  std::size_t indent);

/// Codes for a terminal, or nothing.
struct Paint {
  bool color = false;

  [[nodiscard]] std::string_view head() const { return color ? "\x1b[1m" : ""; }
  [[nodiscard]] std::string_view good() const { return color ? "\x1b[32m" : ""; }
  [[nodiscard]] std::string_view bad() const { return color ? "\x1b[1;31m" : ""; }
  [[nodiscard]] std::string_view off() const { return color ? "\x1b[0m" : ""; }
};

/// Cells in aligned columns, two blanks apart, under a line of headers.
class Grid {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };

  /// Columns from left to right, as wide as their widest cell.
  void add_column(std::string header, Align align = Align::kRight);

  /// One cell per column; missing ones are empty.
  void add_row(std::vector<std::string> cells);

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// Shortens the cells of the last column in the middle until the grid fits kTableColumns; whether
  /// any was.
  bool fit_last_column();

  /// Columns of the widest line.
  [[nodiscard]] std::size_t width() const;

  /// Rows are indented by two blanks; the first header, left-aligned, starts at `header_indent`.
  [[nodiscard]] std::string text(Paint paint, std::size_t header_indent = 2) const;

 private:
  struct Column {
    std::string header;
    Align align;
    std::size_t width;
  };

  [[nodiscard]] std::string line(const std::vector<std::string>& cells, std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ratereplay
