// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "trace/format.hpp"
#include "trace/plan.hpp"

namespace ratereplay {

/// Decides how a file is read: by the flags where they say, else by the content of its sample.
/// `file` is what messages call it. Error(kUsage) when a flag names what is not there,
/// Error(kInput) when the format or the time cannot be told; both say what would help.
[[nodiscard]] ReadPlan make_plan(const Sample& sample, std::string_view file,
                                 const ReadFlags& flags);

/// What the plans of several files have in common, and can be pinned for all of them.
struct SharedPins {
  bool format = true;
  bool time_field = true;
  bool time_format = true;
};

/// The flags that make a plan of its own out of what was detected:
/// `-F csv --time-field ts --time-format epoch-ms -k user`. Quoted for a shell.
[[nodiscard]] std::string pin_flags(const ReadPlan& plan, const SharedPins& shared = {});

/// The text as one word of a POSIX shell.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The same for the name of a file, which is never taken for a flag: ./-dash.csv. `-` stays.
[[nodiscard]] std::string shell_path(std::string_view path);

}  // namespace ratereplay
