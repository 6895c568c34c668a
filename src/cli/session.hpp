// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/diagnostics.hpp"
#include "cli/exit_code.hpp"
#include "error.hpp"

namespace ratereplay {

/// One call of the program: the flags that every command shares, and what the chosen one will do.
struct Session {
  std::vector<std::string> arguments;  ///< as typed, without the program's name
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;
  std::function<ExitCode()> action;  ///< set by the chosen command's callback

  /// Prints a warning or a note, unless --quiet.
  void warn(const Diagnostic& diagnostic) const;
  void note(const Diagnostic& diagnostic) const;
};

}  // namespace ratereplay
