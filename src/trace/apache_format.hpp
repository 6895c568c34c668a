// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// The format of a log that Apache httpd wrote: `parameter` is the text of a LogFormat, or FILE or
/// FILE#NICKNAME, a configuration that has the directive. A text without `%` is a file. Fields are
/// called as in the format `combined`; docs/traces.md has the table. Error(kUsage) for a text that
/// gives no format, Error(kInput) when the file has none.
[[nodiscard]] std::shared_ptr<const Format> make_apache_format(std::string_view parameter);

}  // namespace ratereplay
