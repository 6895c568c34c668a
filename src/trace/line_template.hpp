// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/access_line.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {

/// Where a field of a line ends. A field between double quotes ends at the closing one whatever its
/// shape.
enum class FieldShape : std::uint8_t {
  kWord,   ///< at the next blank, or at the literal that follows
  kText,   ///< at the literal that follows; holds blanks
  kList,   ///< the same, but not at the blank of `, ` or ` : `, which join several upstreams
  kToken,  ///< by its first byte: at the closing quote, at the closing bracket, or as a word
  kHost,   ///< as a word, of which a last `:port` is left out
  kLead,   ///< before the word in front of ` [` and a digit: what a syslog daemon writes first
};

/// One field of a template, and the literal between it and the field before it.
struct TemplateField {
  std::string before;
  std::string name;
  FieldShape shape = FieldShape::kWord;
  bool digit = false;              ///< begins with a digit, as times do
  std::optional<TimeFormat> time;  ///< how it is written when it is an instant
  std::size_t blanks = 0;          ///< of kText: it holds at least so many
};

/// A record of one line as a list of literals and fields: what `log_format` and its like say. A
/// field runs up to the literal behind it; texts are as written, no escape is undone.
class LineTemplate {
 public:
  /// Of how a line may differ from the fields.
  struct Rules {
    std::size_t required;  ///< a line may end after so many fields
    bool escapes = true;   ///< a backslash before a quote takes its meaning
  };

  /// `tail` is the literal behind the last field. There is a field, and a literal between two of
  /// them except behind kLead.
  LineTemplate(std::vector<TemplateField> fields, const std::string& tail, Rules rules);

  [[nodiscard]] std::span<const TemplateField> fields() const noexcept { return fields_; }

  /// False only for lines that split() finds a fault in; soon told.
  [[nodiscard]] bool may_fit(std::string_view line) const noexcept {
    return !needs_blank_ || line.find(' ') != std::string_view::npos;
  }

  /// Takes a line apart: one text per field, with a null data() where the line ends before it. The
  /// last field may be cut off by the end of the line, and other fields may stand behind it after a
  /// blank. A reason lives as long as the template.
  [[nodiscard]] LineFault split(std::string_view line,
                                std::span<std::string_view> texts) const noexcept;

 private:
  struct Part {
    FieldShape shape;
    bool quoted;
    bool digit_follows;
    std::size_t blanks;
    std::string stop;
    // Reasons for people.
    std::string no_stop;
    std::string cut_short;
    std::string open_quote;
  };
  struct End {
    std::size_t end;   ///< of the field
    std::size_t next;  ///< where the next one starts; npos when the stop is not there
  };
  [[nodiscard]] End find_end(const Part& part, std::string_view line, std::size_t at,
                             bool last) const noexcept;
  [[nodiscard]] End find_quoted(const Part& part, std::string_view line, std::size_t at,
                                bool last) const noexcept;
  [[nodiscard]] LineFault fault(const Part& part, std::string_view line, std::size_t at,
                                std::size_t end) const noexcept;

  std::vector<TemplateField> fields_;
  std::vector<Part> parts_;
  std::string no_head_;
  Rules rules_;
  bool needs_blank_ = false;
};

/// A template of fields of shape kToken by their names, with one blank between two of them: the
/// logs of AWS. `NAME:port` is a word, and `client:port` is kHost.
[[nodiscard]] LineTemplate token_template(std::string_view names, std::size_t required);

}  // namespace ratereplay
