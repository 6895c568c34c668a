// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format.hpp"

namespace ratereplay {

/// Access logs of Apache, nginx and whoever writes like them. Both formats have the fields of
/// trace/access_line.hpp; `combined` ends with referer and user agent, and may go on behind them.
/// A row is a line with client, time and a request, whatever the request holds and however the line
/// ends; blank lines and `#` lines are none.
[[nodiscard]] const Format& combined_format();
[[nodiscard]] const Format& common_format();

}  // namespace ratereplay
