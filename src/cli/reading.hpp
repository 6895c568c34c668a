// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/session.hpp"
#include "keys/trace_store.hpp"

namespace ratereplay {

class Command;

/// What every command that reads traces is told about them.
struct Reading {
  std::vector<std::string> paths;  ///< as given: `-` and patterns too
  std::string bad_rows;            ///< the file that takes them; empty = none
  /// Other files that the command will write; none of them may be one that it reads.
  std::vector<std::string> outputs;
  std::vector<std::string> policy_files;
  /// Where the command asks for requests that were refused: what it advises in the place of leaving
  /// them out.
  std::string refused_advice;
  ReadOptions options;
};

/// Adds TRACE… and the flags of reading.
void add_reading(Command& command, Reading& reading);
/// The flags alone.
void add_reading_flags(Command& command, Reading& reading);

/// Reads the trace, with a progress bar on a terminal; then prints the notes and what could not be
/// read.
[[nodiscard]] TraceStore read_with_progress(const Reading& reading, const Session& session);

}  // namespace ratereplay
