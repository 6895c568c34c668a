// SPDX-License-Identifier: Apache-2.0
#include "trace/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "error.hpp"
#include "trace/block.hpp"

namespace ratereplay {

namespace {

constexpr std::size_t kMagicBytes = 6;

[[noreturn]] void fail(const std::string& name, std::string_view doing, int code) {
  throw Error(ErrorKind::kInput,
              fmt::format("{}: cannot {}: {}", name, doing, std::generic_category().message(code)));
}

struct DigestDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// The name of the compression that `head` starts with; empty for text.
std::string_view compression_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1f\x8b"sv)) return "gzip";
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return "zstd";
  if (head.starts_with("\xfd"
                       "7zXZ\0"sv))
    return "xz";
  if (head.starts_with("BZh"sv) && head.size() > 3 && head[3] >= '1' && head[3] <= '9') {
    return "bzip2";
  }
  return {};
}

}  // namespace

/// The bytes as stored: counted, and digested when asked.
class FileStream : public ByteStream {
 public:
  FileStream(const std::string& path, std::string name, bool digest) : name_(std::move(name)) {
    if (path == "-") {
      descriptor_ = STDIN_FILENO;
    } else {
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (descriptor_ < 0) fail(name_, "open it", errno);
      owned_ = true;
    }
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail(name_, "read it", errno);
    if (S_ISDIR(status.st_mode)) {
      close();
      throw Error(ErrorKind::kInput, fmt::format("{}: this is a directory, not a trace", name_),
                  {"name the files in it"});
    }
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
    if (digest) {
      digest_.reset(EVP_MD_CTX_new());
      if (!digest_ || EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr) != 1) {
        throw Error(ErrorKind::kInput, fmt::format("{}: SHA-256 is not available", name_));
      }
    }
  }
  ~FileStream() override { close(); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  std::size_t read(char* place, std::size_t size) override {
    if (!head_.empty()) {
      const std::size_t taken = std::min(size, head_.size());
      std::memcpy(place, head_.data(), taken);
      head_.erase(0, taken);
      return taken;
    }
    return read_file(place, size);
  }

  /// The first bytes; read() gives them again.
  std::string_view head() {
    std::array<char, kMagicBytes> bytes;
    while (head_.size() < kMagicBytes) {
      const std::size_t got = read_file(bytes.data(), kMagicBytes - head_.size());
      if (got == 0) break;
      head_.append(bytes.data(), got);
    }
    return head_;
  }

  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept {
    return bytes_read_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::string sha256() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned int length = 0;
    if (!digest_ || EVP_DigestFinal_ex(digest_.get(), bytes.data(), &length) != 1) return {};
    digest_.reset();
    std::string hex;
    for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", bytes[i]);
    return hex;
  }

 private:
  std::size_t read_file(char* place, std::size_t size) {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, place, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail(name_, fmt::format("read on after byte {}", bytes_read()), errno);
    const auto count = static_cast<std::size_t>(got);
    bytes_read_.fetch_add(count, std::memory_order_relaxed);
    if (digest_) EVP_DigestUpdate(digest_.get(), place, count);
    return count;
  }
  void close() noexcept {
    if (owned_) ::close(descriptor_);
    owned_ = false;
  }

  std::string name_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::optional<std::uint64_t> size_;
  std::atomic<std::uint64_t> bytes_read_{0};
  std::string head_;
  std::unique_ptr<EVP_MD_CTX, DigestDeleter> digest_;
};

Source::Source(std::string path, bool digest) : name_(path == "-" ? "standard input" : path) {
  file_ = std::make_unique<FileStream>(path, name_, digest);
  const std::string_view compression = compression_of(file_->head());
  if (!compression.empty()) {
    throw Error(ErrorKind::kInput, fmt::format("{}: {} input is not read yet", name_, compression),
                {fmt::format("decompress it first and pipe it in: … | ratereplay run -")});
  }
  text_ = decoder_ ? decoder_.get() : file_.get();
}

Source::Source(std::unique_ptr<ByteStream> text, std::string name)
    : name_(std::move(name)), decoder_(std::move(text)), text_(decoder_.get()) {}

Source::~Source() = default;

void Source::fill_sample() {
  if (sample_filled_) return;
  sample_filled_ = true;
  // One byte more than is shown tells whether the file goes on.
  sample_.assign(kSampleBytes + 1 + 2 * Block::kSlack, '\0');
  sample_begin_ = sample_end_ = Block::kSlack;
  const std::size_t limit = sample_begin_ + kSampleBytes + 1;
  while (sample_end_ < limit && !sample_whole_) {
    const std::size_t got = text_->read(sample_.data() + sample_end_, limit - sample_end_);
    sample_whole_ = got == 0;
    sample_end_ += got;
  }
  const std::string_view text(sample_.data() + sample_begin_, sample_end_ - sample_begin_);
  if (text.starts_with("\xef\xbb\xbf")) sample_begin_ += 3;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw Error(ErrorKind::kInput, fmt::format("{}: this is UTF-16; only UTF-8 is read", name_),
                {fmt::format("iconv -f UTF-16 -t UTF-8 {} | ratereplay run -", name_)});
  }
  sample_taken_ = sample_begin_;
}

Sample Source::peek() {
  fill_sample();
  Sample sample;
  sample.text = {sample_.data() + sample_begin_, sample_end_ - sample_begin_};
  sample.whole = sample_whole_;
  if (!sample.whole) {
    const std::size_t line = sample.text.rfind('\n');
    if (line != std::string_view::npos) sample.text = sample.text.substr(0, line + 1);
  }
  return sample;
}

std::size_t Source::read(char* place, std::size_t size) {
  fill_sample();
  if (sample_taken_ < sample_end_) {
    const std::size_t taken = std::min(size, sample_end_ - sample_taken_);
    std::memcpy(place, sample_.data() + sample_taken_, taken);
    sample_taken_ += taken;
    return taken;
  }
  return sample_whole_ ? 0 : text_->read(place, size);
}

std::optional<std::uint64_t> Source::size() const noexcept {
  return file_ ? file_->size() : std::nullopt;
}

std::uint64_t Source::bytes_read() const noexcept { return file_ ? file_->bytes_read() : 0; }

std::string Source::sha256() { return file_ ? file_->sha256() : std::string(); }

}  // namespace ratereplay
