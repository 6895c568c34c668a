// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited_scan.hpp"

#include <algorithm>

namespace ratereplay {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// The text before a line end, without the carriage return of a CRLF.
std::size_t without_return(std::string_view text, std::size_t from, std::size_t end) {
  return end > from && text[end - 1] == '\r' ? end - 1 : end;
}

}  // namespace

DelimitedScanner::Found DelimitedScanner::bad(std::size_t offset, std::string_view reason) {
  bad_offset_ = offset;
  bad_reason_ = reason;
  size_ = first_line_;
  return Found::kBad;
}

// What went wrong on a later line is told of the quote that led there: the reader of a block that
// ends below the first line comes to the same words.
DelimitedScanner::Found DelimitedScanner::never_closed(std::size_t quote) {
  return bad(spans_from_.value_or(quote), "the quote that opens here does not close");
}

DelimitedScanner::Found DelimitedScanner::undecided(std::size_t quote) {
  return all_seen_ ? never_closed(quote) : Found::kOpen;
}

DelimitedScanner::Found DelimitedScanner::scan(std::string_view text, bool last) {
  fields_.clear();
  spans_from_.reset();
  const std::size_t feed = text.find('\n');
  if (feed == kNone && !last) return Found::kOpen;
  std::size_t end = std::min(feed, text.size());
  first_line_ = size_ = std::min(end + 1, text.size());
  std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view line = text.substr(start, without_return(text, start, end) - start);
  if (line.starts_with('#')) return Found::kNothing;
  // Where tabs delimit, a line of tabs is a record of empty fields.
  if (trim_blanks(line).empty() && line.find(delimiter_) == kNone) return Found::kNothing;

  const std::size_t reach = std::max(first_line_, kMaxSpanningBytes);
  all_seen_ = last || text.size() >= reach;
  at_file_end_ = last && text.size() <= reach;
  text_ = text.substr(0, reach);
  while (true) {
    std::size_t stop = 0;  // where the delimiter or the line end is
    if (start < end && text_[start] == '"') {
      Found found = scan_quoted(start, stop);
      if (found == Found::kRecord && stop > end) {
        if (!spans_from_) spans_from_ = start;
        found = scan_spanning(stop, end);
      }
      if (found != Found::kRecord) return found;
    } else {
      stop = std::min(text_.substr(0, end).find(delimiter_, start), end);
      const std::size_t text_end = stop == end ? without_return(text_, start, end) : stop;
      fields_.push_back({text_.substr(start, text_end - start), static_cast<std::uint32_t>(start)});
    }
    if (stop >= end) break;
    start = stop + 1;
  }
  size_ = std::min(end + 1, text_.size());
  return Found::kRecord;
}

DelimitedScanner::Found DelimitedScanner::scan_quoted(std::size_t start, std::size_t& stop) {
  bool doubled = false;
  std::size_t close = start + 1;
  while (true) {
    close = text_.find('"', close);
    if (close == kNone) return undecided(start);
    if (close + 1 >= text_.size() || text_[close + 1] != '"') break;
    doubled = true;
    close += 2;
  }
  fields_.push_back(
      {text_.substr(start + 1, close - start - 1), static_cast<std::uint32_t>(start), doubled});
  stop = close + 1;
  if (stop < text_.size() && text_[stop] == '\r') {
    if (stop + 1 < text_.size() ? text_[stop + 1] == '\n' : at_file_end_) ++stop;
  }
  if (stop >= text_.size()) {
    return at_file_end_ ? Found::kRecord : undecided(start);
  }
  if (text_[stop] == delimiter_ || text_[stop] == '\n') return Found::kRecord;
  if (text_[stop] == '\r' && stop + 1 == text_.size()) {
    return undecided(start);
  }
  if (stop >= first_line_) return never_closed(start);
  return bad(stop, "text after the closing quote");
}

DelimitedScanner::Found DelimitedScanner::scan_spanning(std::size_t from, std::size_t& end) {
  const std::size_t feed = text_.find('\n', from);
  if (feed == kNone && !at_file_end_) return undecided(0);
  end = std::min(feed, text_.size());
  return Found::kRecord;
}

std::size_t undouble_quotes(std::string_view text, char* place) {
  char* to = place;
  for (std::size_t i = 0; i < text.size(); ++i) {
    *to++ = text[i];
    if (text[i] == '"') ++i;
  }
  return static_cast<std::size_t>(to - place);
}

std::string_view trim_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == kNone) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace ratereplay
