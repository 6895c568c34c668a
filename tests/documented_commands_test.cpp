// SPDX-License-Identifier: Apache-2.0
// Every command in a ```console block of the documentation is run, and what it prints is compared
// with what stands below it. With RATEREPLAY_UPDATE_DOCS set, the documents are brought up to date
// instead. Those of ```console needs=PART are left as they are where scripts/install-drivers could
// not build that part.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "driver/built_drivers.hpp"
#include "run_program.hpp"

namespace ratereplay::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> documents() {
  const fs::path root = RATEREPLAY_SOURCE_DIR;
  std::vector<std::string> found;
  for (const fs::path& path : {root / "README.md", root / "CONTRIBUTING.md"}) {
    found.push_back(path.string());
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path().string());
  }
  return found;
}

std::string shell(const std::string& command, const std::string& folder) {
  const fs::path program = RATEREPLAY_PROGRAM;
  const std::string line = "cd '" + folder + "' && PATH='" + program.parent_path().string() +
                           "':$PATH && export PATH && unset NO_COLOR && { " + command +
                           "\n} 2>&1 </dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> piece;
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe.get())) {
    output.append(piece.data(), size);
  }
  return output;
}

/// Whether the commands of the block that this line opens can be run here.
bool opens_commands(const std::string& line) {
  static const std::string kFence = "```console";
  if (line == kFence) return true;
  static const std::string kNeeds = kFence + " needs=";
  if (!line.starts_with(kNeeds)) return false;
  if (has_drivers(line.substr(kNeeds.size()))) return true;
  MESSAGE("skipped: a block of commands that", line.substr(kFence.size()));
  return false;
}

/// Runs the commands of one document in a folder of its own and returns the document with their
/// output in place; counts the commands run.
std::string with_outputs(const std::string& text, std::size_t& commands) {
  const TemporaryFolder folder;
  const fs::path root = RATEREPLAY_SOURCE_DIR;
  for (const char* name : {"traces", "docs"}) {
    fs::create_directory_symlink(root / name, folder.path(name));
  }
  fs::create_directory_symlink(drivers_folder(), folder.path("drivers"));
  std::istringstream lines(text);
  std::string result;
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) inside = opens_commands(line);
    if (!inside || !line.starts_with("$ ")) {
      // Inside a block, what stands between two commands is output, to be written anew.
      if (!inside || line.starts_with("```")) result += line + '\n';
      continue;
    }
    std::string command = line.substr(2);
    result += line + '\n';
    while (command.ends_with('\\') && std::getline(lines, line)) {
      command += '\n' + line;
      result += line + '\n';
    }
    result += shell(command, folder.root());
    ++commands;
  }
  return result;
}

}  // namespace

TEST_CASE("documents: every command prints what stands below it") {
  const bool update = std::getenv("RATEREPLAY_UPDATE_DOCS") != nullptr;
  std::size_t commands = 0;
  for (const std::string& path : documents()) {
    CAPTURE(path);
    const std::string text = read_text(path);
    const std::string now = with_outputs(text, commands);
    if (update) {
      std::ofstream(path, std::ios::binary) << now;
    } else {
      CHECK(now == text);
    }
  }
  CHECK(commands >= 20);
}

}  // namespace ratereplay::test
