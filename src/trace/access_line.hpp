// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/bad_row.hpp"

namespace ratereplay {

/// Fields of an access log line in the common or combined format, by position:
///
///     ip ident user [time] "method path protocol" status bytes "referer" "user agent"
///
/// The client may stand in double quotes. Of a list with commas it is the first one.
enum class AccessField : std::uint8_t {
  kIp,
  kIdent,
  kUser,
  kTime,
  kMethod,
  kPath,
  kProtocol,
  kRequest,
  kStatus,
  kBytes,
  kReferer,
  kUserAgent,
};
inline constexpr std::array<std::string_view, 12> kAccessNames = {
    "ip",       "ident",   "user",   "time",  "method",  "path",
    "protocol", "request", "status", "bytes", "referer", "user_agent"};

/// Where a line stops being one, as a reason for people.
struct LineFault {
  BadKind kind = BadKind::kSyntax;
  std::size_t offset = 0;  ///< 0-based byte of the line
  std::string_view reason;

  [[nodiscard]] bool none() const noexcept { return reason.empty(); }
};

/// The end of a quoted text that starts at 0: the closing quote, or the length. A quote within a
/// word closes nothing: not every server escapes it.
[[nodiscard]] std::size_t closing_quote(std::string_view text) noexcept;

/// The parts of `GET /path HTTP/1.1`; all without data for a request of another shape. Blanks
/// within the path belong to it.
struct RequestLine {
  std::string_view method;
  std::string_view path;
  std::string_view protocol;
};
[[nodiscard]] RequestLine split_request(std::string_view request) noexcept;

/// One line taken apart. Texts are as written: no escape is undone. A field that the line ends
/// before, or that a request of another shape does not have, has a null data().
struct AccessLine {
  std::array<std::string_view, kAccessNames.size()> fields;

  [[nodiscard]] std::string_view operator[](AccessField field) const noexcept {
    return fields[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] bool has(AccessField field) const noexcept {
    return (*this)[field].data() != nullptr;
  }

  /// Client, identity, user and time, up to the quote of the request: what every row must have.
  /// `rest` is what follows the time, from the quote on.
  [[nodiscard]] LineFault split_head(std::string_view line, std::string_view& rest) noexcept;

  /// What comes after it, up to `last` at least. What does not fit is left without data.
  void split_rest(std::string_view rest, AccessField last = AccessField::kUserAgent) noexcept;
};

}  // namespace ratereplay
