// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ratereplay {

/// From here on SIGINT, SIGTERM and SIGHUP only raise a flag (SIGQUIT still ends the process at
/// once). Blocking system calls return EINTR. SIGPIPE and SIGXFSZ are ignored: a closed pipe and a
/// file that may not grow are errors of write.
void catch_interrupts() noexcept;

/// Whether the flag is up. Cheap; for loops that run long.
[[nodiscard]] bool interrupted() noexcept;

/// Error(kInterrupted) once the flag is up. Safe on any thread.
void stop_if_interrupted();

}  // namespace ratereplay
