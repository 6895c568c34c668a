// SPDX-License-Identifier: Apache-2.0
#include "trace/stored_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "error.hpp"
#include "interrupt.hpp"

namespace ratereplay {
namespace {

[[noreturn]] void fail(const std::string& name, std::string_view doing, int code) {
  throw Error(ErrorKind::kInput,
              fmt::format("{}: cannot {}: {}", name, doing, std::generic_category().message(code)));
}

}  // namespace

class StoredFile::Digest {
 public:
  explicit Digest(const std::string& name) : context_(EVP_MD_CTX_new()) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
      throw Error(ErrorKind::kInput, fmt::format("{}: SHA-256 is not available", name));
    }
  }
  void take(const char* bytes, std::size_t size) { EVP_DigestUpdate(context_.get(), bytes, size); }
  [[nodiscard]] std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned int length = 0;
    if (EVP_DigestFinal_ex(context_.get(), bytes.data(), &length) != 1) return {};
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  struct Deleter {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Deleter> context_;
};

StoredFile::StoredFile(const std::string& path, std::string name, bool digest)
    : name_(std::move(name)), digest_(digest ? std::make_unique<Digest>(name_) : nullptr) {
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
  } else {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      const int error = errno;
      stop_if_interrupted();  // a FIFO waits for its writer
      fail(name_, "open it", error);
    }
  }
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  const int error = errno;
  if (!known || S_ISDIR(status.st_mode)) {
    if (path != "-") ::close(descriptor_);
    if (!known) fail(name_, "read it", error);
    throw Error(ErrorKind::kInput, fmt::format("{}: this is a directory", name_),
                {"name the files in it"});
  }
  owned_ = path != "-";
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
}

StoredFile::~StoredFile() {
  if (owned_) ::close(descriptor_);
}

std::size_t StoredFile::read(char* place, std::size_t size) {
  if (head_.empty()) return read_file(place, size);
  const std::size_t taken = std::min(size, head_.size());
  std::memcpy(place, head_.data(), taken);
  head_.erase(0, taken);
  return taken;
}

std::string_view StoredFile::head(std::size_t size) {
  while (head_.size() < size) {
    const std::size_t held = head_.size();
    head_.resize(size);
    const std::size_t got = read_file(head_.data() + held, size - held);
    head_.resize(held + got);
    if (got == 0) break;
  }
  return head_;
}

std::size_t StoredFile::read_file(char* place, std::size_t size) {
  ssize_t got = 0;
  do {
    if (!wait_for_bytes()) return 0;
    got = ::read(descriptor_, place, size);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(name_, fmt::format("read on after byte {}", bytes_read()), errno);
  const auto count = static_cast<std::size_t>(got);
  bytes_read_.fetch_add(count, std::memory_order_relaxed);
  if (digest_) digest_->take(place, count);
  return count;
}

/// Pipes and terminals may keep a reader waiting, on a thread that gets no signal. False when
/// cancelled.
bool StoredFile::wait_for_bytes() {
  constexpr int kLookUpMs = 100;
  while (true) {
    stop_if_interrupted();
    if (cancelled_.load(std::memory_order_relaxed)) return false;
    if (size_) return true;
    pollfd waiting{descriptor_, POLLIN, 0};
    // An error is left for read() to tell.
    if (::poll(&waiting, 1, kLookUpMs) != 0 && (waiting.revents != 0 || errno != EINTR))
      return true;
  }
}

std::string StoredFile::sha256() {
  if (!digest_) return {};
  std::string hex = digest_->hex();
  digest_.reset();
  return hex;
}

}  // namespace ratereplay
