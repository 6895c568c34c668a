// SPDX-License-Identifier: Apache-2.0
#include "run_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ratereplay::test {
namespace {

/// Files rather than pipes: nothing can block, however much is written.
[[noreturn]] void become_program(const ProgramCall& call, const TemporaryFolder& files) {
  const auto put = [&](const char* name, int flags, int descriptor) {
    const int file = open(files.path(name).c_str(), flags, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
    close(file);
  };
  put("in", O_RDONLY, STDIN_FILENO);
  put("out", O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
  put("err", O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  if (!call.folder.empty() && chdir(call.folder.c_str()) != 0) _exit(127);
  for (const auto& [name, value] : call.environment) setenv(name.c_str(), value.c_str(), 1);
  std::signal(SIGPIPE, SIG_DFL);
  std::vector<char*> argv;
  std::string program = RATEREPLAY_PROGRAM;
  argv.push_back(program.data());
  std::vector<std::string> args = call.args;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

ProgramRun run_program(const ProgramCall& call) {
  const TemporaryFolder files;
  files.write("in", call.input);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_program(call, files);
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == 127) throw std::runtime_error("cannot start " RATEREPLAY_PROGRAM);
  return {code, read_text(files.path("out")), read_text(files.path("err"))};
}

ProgramRun run_program(std::vector<std::string> args, std::string input) {
  return run_program(ProgramCall{std::move(args), std::move(input), {}, {}});
}

TemporaryFolder::TemporaryFolder()
    : root_((std::filesystem::temp_directory_path() / "ratereplay-XXXXXX").string()) {
  if (mkdtemp(root_.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::string where = path(name);
  std::ofstream(where, std::ios::binary) << text;
  return where;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ratereplay::test
