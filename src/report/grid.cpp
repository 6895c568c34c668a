// SPDX-License-Identifier: Apache-2.0
#include "report/grid.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "text/utf8.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;

/// Blocks of East Asian wide characters and emoji (Unicode, EastAsianWidth.txt), coarsely.
constexpr std::array<std::pair<char32_t, char32_t>, 10> kWide{{{0x1100, 0x115F},
                                                               {0x2E80, 0x303E},
                                                               {0x3041, 0xA4CF},
                                                               {0xA960, 0xA97F},
                                                               {0xAC00, 0xD7A3},
                                                               {0xF900, 0xFAFF},
                                                               {0xFE30, 0xFE6F},
                                                               {0xFF00, 0xFF60},
                                                               {0x1F300, 0x1FAFF},
                                                               {0x20000, 0x3FFFD}}};

std::size_t columns_of(char32_t value) {
  return std::any_of(kWide.begin(), kWide.end(),
                     [&](auto block) { return value >= block.first && value <= block.second; })
             ? 2
             : 1;
}

/// Where the longest end that fits begins.
std::size_t tail_start(std::string_view text, std::size_t columns) {
  std::size_t left_out = text_columns(text);
  std::size_t at = 0;
  while (left_out > columns) {
    const CodePoint point = decode_utf8(text, at);
    left_out -= columns_of(point.value);
    at += std::max<std::size_t>(point.bytes, 1);
  }
  return at;
}

}  // namespace

std::size_t text_columns(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    columns += columns_of(point.value);
    at += std::max<std::size_t>(point.bytes, 1);
  }
  return columns;
}

std::size_t head_bytes(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text, at);
    const std::size_t width = columns_of(point.value);
    if (width > columns) break;
    columns -= width;
    at += std::max<std::size_t>(point.bytes, 1);
  }
  return at;
}

std::string shortened(std::string_view text, std::size_t columns, Cut cut) {
  if (text_columns(text) <= columns) return std::string(text);
  const std::size_t kept = columns - 1;
  const std::size_t head = cut == Cut::kEnd ? kept : kept - kept / 2;
  std::string out(text.substr(0, head_bytes(text, head)));
  out += "…";
  out += text.substr(tail_start(text, kept - head));
  return out;
}

std::string wrapped(const std::vector<std::string>& items, std::size_t column, std::size_t indent) {
  std::string out;
  bool fresh = true;
  for (const std::string& item : items) {
    const std::string shown = shortened(item, kTableColumns - indent, Cut::kMiddle);
    const std::size_t width = text_columns(shown);
    if (!fresh && column + 1 + width > kTableColumns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!fresh) {
      out += ' ';
      ++column;
    }
    out += shown;
    column += width;
    fresh = false;
  }
  return out;
}

void Grid::add_column(std::string header, Align align) {
  const std::size_t width = text_columns(header);
  columns_.push_back({std::move(header), align, width});
}

void Grid::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns_[i].width = std::max(columns_[i].width, text_columns(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

bool Grid::fit_last_column() {
  const std::size_t over = std::max(width(), kTableColumns) - kTableColumns;
  if (over == 0) return false;
  Column& last = columns_.back();
  const std::size_t least = std::max<std::size_t>(text_columns(last.header), 4);
  const std::size_t room = last.width > over + least ? last.width - over : least;
  for (auto& row : rows_) row.back() = shortened(row.back(), room, Cut::kMiddle);
  last.width = room;
  return true;
}

std::size_t Grid::width() const {
  std::size_t width = kIndent;
  for (const Column& column : columns_) width += column.width + kGap;
  return width - kGap;
}

std::string Grid::text(Paint paint, std::size_t header_indent) const {
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  std::string out(paint.head());
  out += line(headers, header_indent);
  out += paint.off();
  out += '\n';
  for (const auto& row : rows_) out += line(row, kIndent) + '\n';
  return out;
}

std::string Grid::line(const std::vector<std::string>& cells, std::size_t indent) const {
  std::string out(indent, ' ');
  std::size_t pending = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = columns_[i];
    const std::size_t width = i == 0 ? column.width + kIndent - indent : column.width;
    const std::size_t used = text_columns(cells[i]);
    const std::size_t padding = width > used ? width - used : 0;
    if (column.align == Align::kRight) pending += padding;
    if (!cells[i].empty()) {
      out.append(pending, ' ');
      out += cells[i];
      pending = 0;
    }
    if (column.align == Align::kLeft) pending += padding;
    pending += kGap;
  }
  return out;
}

}  // namespace ratereplay
