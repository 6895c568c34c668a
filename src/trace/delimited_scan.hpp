// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ratereplay {

/// Finds one record of a delimited table and its fields. The one place that knows what quotes do:
/// cutter, recognition and reader all ask it, so that they cannot disagree.
///
/// A quote opens a field only at the field's first byte. A record may span lines inside quotes as
/// long as it ends within kMaxSpanningBytes. When a quote does not close by then, or text follows a
/// closing quote, the record is its first physical line alone, and the next one starts below it.
class DelimitedScanner {
 public:
  static constexpr std::size_t kMaxSpanningBytes = std::size_t{1} << 20;
  /// Skipped in front of any record: files that have one may be put behind one another.
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

  enum class Found : std::uint8_t {
    kRecord,   ///< fields() holds it
    kNothing,  ///< a blank line or a # line
    kBad,      ///< see bad_offset() and bad_reason()
    kOpen,     ///< more text is needed to tell
  };
  struct Field {
    std::string_view text;     ///< without quotes; doubled quotes as they stand
    std::uint32_t offset = 0;  ///< of the field (its opening quote) from the start of the record
    bool doubled = false;      ///< text holds doubled quotes
  };

  explicit DelimitedScanner(char delimiter) : delimiter_(delimiter) {}

  /// Looks at the record that starts `text`, which is not empty. With `last`, text ends the file.
  Found scan(std::string_view text, bool last);

  /// Bytes of what was found, its line end included.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<Field>& fields() const noexcept { return fields_; }
  [[nodiscard]] std::size_t bad_offset() const noexcept { return bad_offset_; }
  [[nodiscard]] std::string_view bad_reason() const noexcept { return bad_reason_; }

 private:
  Found scan_quoted(std::size_t start, std::size_t& stop);
  Found scan_spanning(std::size_t from, std::size_t& end);
  Found never_closed(std::size_t quote);
  Found undecided(std::size_t quote);
  Found bad(std::size_t offset, std::string_view reason);

  char delimiter_;
  std::vector<Field> fields_;
  std::string_view text_;                  // what the record may extend over
  bool all_seen_ = false;                  // no more text could make the record longer
  bool at_file_end_ = false;               // text_ ends where the file does
  std::optional<std::size_t> spans_from_;  // the first quote that led to a further line
  std::size_t first_line_ = 0;             // its bytes, line feed included
  std::size_t size_ = 0;
  std::size_t bad_offset_ = 0;
  std::string_view bad_reason_;
};

/// The text of a field with doubled quotes: writes it to `place`, which has room for field.text,
/// and returns its length.
std::size_t undouble_quotes(std::string_view text, char* place);

/// `text` without spaces and tabs around it.
std::string_view trim_blanks(std::string_view text);

}  // namespace ratereplay
