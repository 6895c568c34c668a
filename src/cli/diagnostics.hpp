// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "error.hpp"

namespace ratereplay {

enum class Severity : std::uint8_t { kError, kWarning, kNote };

enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

/// Whether text written to the file descriptor is coloured: as the mode says, or for kAuto when it
/// is a terminal, TERM is not "dumb" and NO_COLOR is unset or empty.
[[nodiscard]] bool use_color(ColorMode mode, int descriptor);

/// One message in the form that every message has: what, where, what to do. At most 100 columns,
/// ends with a line feed. Controls and bytes that are not UTF-8 are made visible. An advice line
/// that starts with spaces is indented by as much more.
///
///     error: 'burst' means different things in different limiters
///       --> -p 1, column 12:  gcra:10/1s,burst=20
///                                        ^^^^^^^^
///       write capacity=21 for nginx or redis-cell (the first request comes on top)
[[nodiscard]] std::string message_text(Severity severity, const Diagnostic& diagnostic,
                                       bool color = false);

/// Writes message_text to standard error.
void print_message(Severity severity, const Diagnostic& diagnostic, ColorMode mode);

}  // namespace ratereplay
