// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ratereplay::test {

/// How to start the program; the defaults are an empty standard input and the tests' own folder.
struct ProgramCall {
  std::vector<std::string> args;
  std::string input;                                             ///< what stands on standard input
  std::vector<std::pair<std::string, std::string>> environment;  ///< set beside the inherited ones
  std::string folder;  ///< working directory; empty = ours
};

struct ProgramRun {
  int exit_code = -1;  ///< 128 + n when it died of signal n
  std::string out;
  std::string err;
};

/// Runs the built `ratereplay` to its end. std::runtime_error when it cannot be started.
[[nodiscard]] ProgramRun run_program(const ProgramCall& call);

/// The same with arguments alone: `run_program({"policy", "list"})`.
[[nodiscard]] ProgramRun run_program(std::vector<std::string> args, std::string input = {});

/// A fresh folder that is removed with everything in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  /// The folder's path followed by "/" and the name.
  [[nodiscard]] std::string path(const std::string& name) const { return root_ + '/' + name; }
  [[nodiscard]] const std::string& root() const noexcept { return root_; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string root_;
};

/// The bytes of a file. std::runtime_error when it cannot be read.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace ratereplay::test
