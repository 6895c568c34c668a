// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// The format of a log that nginx wrote: `parameter` is the text of a log_format (with
/// `escape=none` in front, if it has that), or FILE or FILE#NAME, a configuration that has the
/// directive. A text without `$` is a file. Fields are called as the variables are. Error(kUsage)
/// for a text that gives no format, Error(kInput) when the file has none.
[[nodiscard]] std::shared_ptr<const Format> make_nginx_format(std::string_view parameter);

}  // namespace ratereplay
