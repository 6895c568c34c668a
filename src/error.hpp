// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ratereplay {

/// What kind of thing went wrong; cli/exit_code.hpp maps it to the exit code.
enum class ErrorKind { kUsage, kInput, kOutput, kInterrupted };

/// Where something was found. `at` is what stands after the arrow ("-p 1, column 14",
/// "access.log:48213:18"). With `text`, that source line is shown and `length` bytes from the
/// 0-based byte `offset` are underlined.
struct Place {
  std::string at;
  std::string text;
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// One message in three parts: what, where, what to do. Errors and warnings print alike.
struct Diagnostic {
  std::string message;
  std::optional<Place> place;
  std::vector<std::string> advice;
};

/// The one exception that stops a run. Thrown where the fault is known, caught once in main.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, Diagnostic diagnostic) : kind_(kind), diagnostic_(std::move(diagnostic)) {}
  Error(ErrorKind kind, std::string message, std::vector<std::string> advice = {})
      : Error(kind, Diagnostic{std::move(message), std::nullopt, std::move(advice)}) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const Diagnostic& diagnostic() const noexcept { return diagnostic_; }
  [[nodiscard]] const char* what() const noexcept override { return diagnostic_.message.c_str(); }

 private:
  ErrorKind kind_;
  Diagnostic diagnostic_;
};

}  // namespace ratereplay
