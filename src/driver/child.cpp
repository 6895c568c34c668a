// SPDX-License-Identifier: Apache-2.0
#include "driver/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "error.hpp"
#include "interrupt.hpp"

namespace ratereplay {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;
constexpr milliseconds kMomentToEnd{2000};
constexpr milliseconds kLook{2};  ///< between two looks at a process that is about to end

[[noreturn]] void refuse_start(int error) {
  throw Error(ErrorKind::kInput,
              fmt::format("cannot start a driver: {}", std::generic_category().message(error)));
}

/// Two ends that no program started by us inherits; ours does not block.
struct Pipe {
  explicit Pipe(bool child_reads) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse_start(errno);
    ours = ends[child_reads ? 1 : 0];
    theirs = ends[child_reads ? 0 : 1];
    fcntl(ours, F_SETFL, fcntl(ours, F_GETFL) | O_NONBLOCK);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(theirs);
    if (ours >= 0) close(ours);
  }

  int release() { return std::exchange(ours, -1); }

  int ours = -1;
  int theirs = -1;
};

milliseconds until(Clock::time_point end) {
  return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(end - Clock::now()));
}

}  // namespace

Child::Child(const std::string& command) {
  Pipe input(true);
  Pipe output(false);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.theirs, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.theirs, STDOUT_FILENO);
  // A group of its own, so that what the shell starts can be ended with it. We ignore SIGPIPE; the
  // program must not inherit that.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  std::string shell = "sh";
  std::string flag = "-c";
  std::string line = command;
  const std::array<char*, 4> arguments{shell.data(), flag.data(), line.data(), nullptr};
  const int error =
      posix_spawn(&process_, "/bin/sh", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) refuse_start(error);
  input_ = input.release();
  output_ = output.release();
}

Child::~Child() {
  close_input();
  close(output_);
  wait_for_end(kMomentToEnd);
  kill();
}

void Child::kill() noexcept {
  if (process_ < 0) return;
  // Not reaped yet, so that its number is still that of its group.
  ::kill(-process_, SIGKILL);
  ::kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void Child::send(std::string_view line) {
  unsent_.append(line).push_back('\n');
  write_some();
}

Child::Event Child::receive(milliseconds longest) {
  const Clock::time_point end = Clock::now() + longest;
  for (;;) {
    if (take_line()) return Event::kLine;
    if (received_.size() - taken_ > kMostLineBytes || ended_) {
      line_ = received_.substr(taken_);
      return ended_ ? Event::kEnded : Event::kTooLong;
    }
    std::array<pollfd, 2> files{
        {{output_, POLLIN, 0}, {unsent_.empty() ? -1 : input_, POLLOUT, 0}}};
    const milliseconds left = until(end);
    const int ready = poll(files.data(), files.size(), static_cast<int>(left.count()));
    stop_if_interrupted();
    if (ready == 0 && left.count() == 0) return Event::kLate;
    if (ready <= 0) continue;
    if (files[1].revents != 0) write_some();
    if (files[0].revents != 0) ended_ = !read_some();
  }
}

Child::Event Child::finish() {
  const Clock::time_point end = Clock::now() + kMomentToEnd;
  close_input();
  const Event event = receive(kMomentToEnd);
  if (event == Event::kLine || event == Event::kTooLong) return event;
  wait_for_end(until(end));
  stop_if_interrupted();
  kill();
  return event;
}

bool Child::has_more() {
  if (!ended_ && received_.size() == taken_) ended_ = !read_some();
  return received_.size() > taken_;
}

void Child::close_input() noexcept {
  if (input_ >= 0) close(std::exchange(input_, -1));
  unsent_.clear();
}

bool Child::take_line() {
  const std::size_t feed = received_.find('\n', std::max(searched_, taken_));
  if (feed == std::string::npos) {
    received_.erase(0, taken_);
    taken_ = 0;
    searched_ = received_.size();
    return false;
  }
  line_.assign(received_, taken_, feed - taken_);
  if (line_.ends_with('\r')) line_.pop_back();
  taken_ = searched_ = feed + 1;
  return true;
}

bool Child::read_some() {
  std::array<char, std::size_t{1} << 16> piece;
  const ssize_t size = read(output_, piece.data(), piece.size());
  if (size > 0) received_.append(piece.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

void Child::write_some() {
  const ssize_t size = write(input_, unsent_.data(), unsent_.size());
  if (size > 0) {
    unsent_.erase(0, static_cast<std::size_t>(size));
  } else if (size < 0 && errno != EAGAIN && errno != EINTR) {
    // It does not read any more. Whether it has died shows on its output.
    unsent_.clear();
  }
}

bool Child::wait_for_end(milliseconds longest) noexcept {
  const Clock::time_point end = Clock::now() + longest;
  while (process_ >= 0) {
    siginfo_t info{};
    const int result =
        waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (result == 0 && info.si_pid != 0) return true;
    if (interrupted() || Clock::now() >= end) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

std::string Child::how_it_ended() {
  if (!wait_for_end(kMomentToEnd)) return "closed its standard output";
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT);
  if (info.si_code == CLD_EXITED) return fmt::format("ended with exit code {}", info.si_status);
  return fmt::format("was ended by signal {} ({})", info.si_status, strsignal(info.si_status));
}

}  // namespace ratereplay
