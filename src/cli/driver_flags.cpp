// SPDX-License-Identifier: Apache-2.0
#include "cli/driver_flags.hpp"

#include <fmt/format.h>

#include <string>

#include "cli/command.hpp"
#include "spec/duration_text.hpp"

namespace ratereplay {

void add_driver_timeout(Command& command, Duration& timeout) {
  command.add_option(
      "--driver-timeout",
      [&timeout](const std::string& text) { timeout = need_duration("--driver-timeout", text); },
      "DURATION",
      fmt::format("How long a driver has for each answer ({})", duration_text(timeout)));
}

}  // namespace ratereplay
