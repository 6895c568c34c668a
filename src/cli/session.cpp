// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

namespace ratereplay {

void Session::warn(const Diagnostic& diagnostic) const {
  if (!quiet) print_message(Severity::kWarning, diagnostic, color);
}

void Session::note(const Diagnostic& diagnostic) const {
  if (!quiet) print_message(Severity::kNote, diagnostic, color);
}

}  // namespace ratereplay
