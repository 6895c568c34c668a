// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/result.hpp"

namespace ratereplay {

/// Appends the field, quoted as in RFC 4180 when it has to be; bytes that are not UTF-8 become
/// U+FFFD.
void append_csv_field(std::string& out, std::string_view field);

/// Appends the bytes as they are, between quotes and with those inside doubled.
void append_quoted(std::string& out, std::string_view bytes);

/// One line per policy under a line of names. Lines end in a line feed.
[[nodiscard]] std::string csv_text(const Result& result);

/// One line per bucket and policy: by time, then policies in the order given.
[[nodiscard]] std::string series_csv_text(const Result& result);

}  // namespace ratereplay
