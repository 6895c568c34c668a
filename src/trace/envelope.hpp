// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ratereplay {

/// A line of a log as whoever collected it wrote it down.
struct WrappedLine {
  enum class What : std::uint8_t {
    kForeign,  ///< not of the envelope
    kWhole,    ///< a line, or the last part of one
    kPart,     ///< an earlier part
  };
  What what = What::kForeign;
  std::string_view text;    ///< what the program wrote
  bool escaped = false;     ///< text has the escapes of a JSON string
  std::uint8_t stream = 0;  ///< 0 or 1; the parts of one line have the same
  bool event = false;  ///< may well be no request: then, not of the format inside, it is left out
  std::string_view time;  ///< set where the text, a JSON object, lacks it: becomes its member `ts`
};

/// What a log collector puts around lines of any other format.
class Envelope {
 public:
  virtual ~Envelope() = default;
  /// As -F takes it in front of a format: cri+combined.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// For messages: "a container log (CRI)".
  [[nodiscard]] virtual std::string_view title() const = 0;
  /// `line` comes without its line end.
  [[nodiscard]] virtual WrappedLine unwrap(std::string_view line) const = 0;
};

/// The list of envelopes, in the order in which they are looked for.
[[nodiscard]] std::span<const Envelope* const> envelopes();

/// Null for another name.
[[nodiscard]] const Envelope* envelope_named(std::string_view name);

}  // namespace ratereplay
