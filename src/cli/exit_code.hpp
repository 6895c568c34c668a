// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "error.hpp"

namespace ratereplay {

/// What the process returns. Part of the interface: the same for every command and flag.
enum class ExitCode : int {
  kOk = 0,            ///< done, every check holds
  kNegative = 1,      ///< done, and the answer is no: a check failed, a vector differs
  kUsage = 2,         ///< usage or policy error, nothing was read
  kInput = 3,         ///< the input could not be read
  kOutput = 4,        ///< the output could not be written
  kFault = 70,        ///< a fault of this program
  kInterrupted = 130  ///< SIGINT or SIGTERM
};

[[nodiscard]] constexpr ExitCode exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::kUsage:
      return ExitCode::kUsage;
    case ErrorKind::kInput:
      return ExitCode::kInput;
    case ErrorKind::kOutput:
      return ExitCode::kOutput;
    case ErrorKind::kInterrupted:
      return ExitCode::kInterrupted;
  }
  return ExitCode::kFault;
}

}  // namespace ratereplay
