// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/delimited_scan.hpp"
#include "trace/format.hpp"

namespace ratereplay {

/// Tables that name their columns in `#` lines, which may come again and change them.
enum class HeaderedKind : std::uint8_t {
  kW3c,   ///< `#Fields: date time c-ip`: the W3C extended log file format
  kZeek,  ///< `#fields<TAB>ts<TAB>id.orig_h`
};

/// The header lines that say something about columns, the last of each name. What they say does not
/// depend on the order in which they came.
class HeaderLines {
 public:
  enum class Name : std::uint8_t { kDate, kW3cFields, kSeparator, kEmpty, kUnset, kZeekFields };
  static constexpr std::size_t kNames = 6;
  /// Longer lines are comments.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10;

  /// True when the line is one of them, and news.
  bool note(std::string_view line);
  /// All of them, as lines.
  [[nodiscard]] std::string text() const;
  /// What stands behind the name; null data where there was no such line.
  [[nodiscard]] std::string_view value(Name name) const;

 private:
  std::array<std::string, kNames> lines_;
};

/// What the header lines read so far say.
class TableHeader {
 public:
  using Field = DelimitedScanner::Field;

  /// `delimiter` separates fields where the header does not say (W3C): blanks, tabs or commas.
  TableHeader(HeaderedKind kind, char delimiter);

  /// Takes a line that starts with `#`; most say nothing. True when it changed anything.
  bool apply(std::string_view line);
  /// Forgets everything, and takes the lines of `text`.
  void restart(std::string_view text);

  /// The columns; none before the first header. A table with times but no dates has one more than
  /// its rows, `date`: see date_of.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// How many of them stand in a row.
  [[nodiscard]] std::size_t width() const noexcept { return names_.size() - (dated_ ? 1 : 0); }

  /// Takes a row apart.
  void split(std::string_view row, std::vector<Field>& fields) const;

  /// For a table with `#Date` and no date in its rows: the date of a row at that time of day. It is
  /// that of the header, or the day after for a row earlier than the header by more than an hour.
  [[nodiscard]] std::string_view date_of(std::string_view time) const;
  /// The column that date_of needs, if rows have no date of their own.
  [[nodiscard]] std::optional<std::size_t> time_column() const noexcept { return time_column_; }

  /// The text that stands for a field without a value, and the one for an empty value (Zeek).
  [[nodiscard]] std::string_view unset() const noexcept { return unset_; }
  [[nodiscard]] std::string_view empty() const noexcept { return empty_; }

 private:
  void settle();
  void take_names(std::string_view text);
  void take_date(std::string_view text);

  HeaderedKind kind_;
  char fallback_;  // where the header does not say
  char delimiter_;
  HeaderLines lines_;
  std::vector<std::string> names_;
  bool dated_ = false;                      // the last name is `date`, taken from #Date
  std::optional<std::size_t> time_column_;  // if so
  std::string date_;                        // as 2026-01-02
  std::string next_date_;                   // the day after
  std::string earliest_time_;               // rows before it are of that day
  std::string unset_;
  std::string empty_;
};

/// Cuts between lines, and hands the header lines on from block to block.
class HeaderedCutter final : public RecordCutter {
 public:
  std::size_t cut(std::string_view text, bool last) override;
  [[nodiscard]] std::shared_ptr<const std::string> header() const override { return header_; }

 private:
  HeaderLines lines_;
  std::shared_ptr<const std::string> header_;
};

}  // namespace ratereplay
