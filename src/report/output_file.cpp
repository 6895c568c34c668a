// SPDX-License-Identifier: Apache-2.0
#include "report/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "error.hpp"
#include "interrupt.hpp"

namespace ratereplay {
namespace {

/// The descriptor behind "", "-", /dev/stdout, /dev/stderr and /dev/fd/N. Opening those names
/// afresh would start at the file's beginning instead of where the shell left it.
std::optional<int> named_descriptor(std::string_view path) {
  if (path.empty() || path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc{} && end == digits.data() + digits.size()) return number;
  }
  return std::nullopt;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  buffer_.reserve(kBufferBytes);
  if (const auto descriptor = named_descriptor(path_)) {
    descriptor_ = *descriptor;
    if (fcntl(descriptor_, F_GETFD) < 0) fail(errno);
    return;
  }
  open();
}

void OutputFile::open() {
  owned_ = true;
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  if (exists && access(path_.c_str(), W_OK) != 0) fail(errno);
  std::error_code error;
  // A link keeps pointing where it did: the file it points to is the one replaced.
  const std::filesystem::path target = std::filesystem::weakly_canonical(path_, error);
  target_ = error ? path_ : target.string();
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = fmt::format("{}.part-{}-{}", target_, getpid(), attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 100)) {
      temporary_.clear();
      fail(errno);
    }
  }
  if (exists) static_cast<void>(fchmod(descriptor_, status.st_mode & 07777U));
}

OutputFile::~OutputFile() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void OutputFile::write_through(std::string_view text) {
  while (!text.empty() && !closed_) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      // A signal cuts a write short.
      if (!text.empty()) stop_if_interrupted();
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno == EINTR) {
      stop_if_interrupted();
    } else {
      fail(errno);
    }
  }
}

void OutputFile::finish() {
  flush();
  if (!owned_) return;
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void OutputFile::fail(int error) const {
  // A FIFO keeps whoever opens it waiting.
  if (error == EINTR) stop_if_interrupted();
  const std::string reason = std::generic_category().message(error);
  if (path_.empty() || path_ == "-") {
    throw Error(ErrorKind::kOutput, fmt::format("cannot write to standard output: {}", reason));
  }
  throw Error(ErrorKind::kOutput, fmt::format("cannot write '{}': {}", path_, reason));
}

namespace {

bool names_standard_output(const std::filesystem::path& path) {
  return path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

/// Follows links by their names, also where the last one leads to no file yet. It stops at
/// standard output, which is a link as well.
std::filesystem::path link_end(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(path, error);
  for (int i = 0; i < kMostLinks && !names_standard_output(at); ++i) {
    const std::filesystem::path link = std::filesystem::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / link;
  }
  return at.lexically_normal();
}

}  // namespace

bool is_same_output(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::is_other(std::filesystem::status(a, error))) return false;
  const auto end = [](const std::string& path) {
    std::error_code failed;
    const std::filesystem::path link = link_end(path);
    const std::filesystem::path whole = std::filesystem::weakly_canonical(link, failed);
    return failed ? link : whole;
  };
  return end(a) == end(b);
}

bool is_standard_output(const std::string& path) { return names_standard_output(link_end(path)); }

}  // namespace ratereplay
