// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ratereplay {

/// The whole program: reads the command line, runs the command, prints the message of what stopped
/// it. Returns the process's exit code; throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace ratereplay
