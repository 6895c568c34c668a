// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ratereplay {

/// A program that is spoken to in lines, over its standard input and output. What it writes to
/// standard error goes where ours goes. Not for several threads.
class Child {
 public:
  enum class Event { kLine, kLate, kEnded, kTooLong };

  /// `command` is a line for the shell. Error(kInput) when no process can be made.
  explicit Child(const std::string& command);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Closes the program's input, waits a moment for it to end, then ends it together with all that
  /// it has started.
  ~Child();

  /// Adds a line, without its line feed, to what the program is to read. Never waits: what does
  /// not fit the pipe is handed over while receive waits.
  void send(std::string_view line);

  /// Waits for the next line, which line() then is, at most `longest`. Error(kInterrupted).
  [[nodiscard]] Event receive(std::chrono::milliseconds longest);

  /// The line that came last, without its end. After kEnded and kTooLong: what came of the next.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }

  /// Whether the program has written something that nobody has received yet.
  [[nodiscard]] bool has_more();

  /// How the program ended, for messages: "ended with exit code 1". Call it after kEnded.
  [[nodiscard]] std::string how_it_ended();

  /// Closes the program's input and gives it a moment to end; then it is ended. kLine or kTooLong
  /// when it has written more instead, kLate when it did not end. Error(kInterrupted).
  [[nodiscard]] Event finish();

  /// Ends the program at once, with all that it has started.
  void kill() noexcept;

 private:
  void close_input() noexcept;
  bool take_line();
  /// Reads what is there; false at the end of the output.
  bool read_some();
  void write_some();
  /// Waits for the process to end; it is not reaped.
  bool wait_for_end(std::chrono::milliseconds longest) noexcept;

  pid_t process_ = -1;
  int input_ = -1;   ///< what the program reads
  int output_ = -1;  ///< what it writes
  bool ended_ = false;
  std::string unsent_;
  std::string received_;
  std::size_t searched_ = 0;  ///< bytes of received_ known to hold no line feed
  std::size_t taken_ = 0;     ///< bytes of received_ that line_ and those before it came from
  std::string line_;
};

}  // namespace ratereplay
