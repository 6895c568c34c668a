// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ratereplay/time.hpp"

namespace ratereplay {

class Command;

/// Adds --driver-timeout.
void add_driver_timeout(Command& command, Duration& timeout);

}  // namespace ratereplay
