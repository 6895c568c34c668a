// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace/byte_stream.hpp"

namespace ratereplay {

/// The bytes of a file as stored: counted, and digested when asked. One thread at a time reads;
/// bytes_read() and cancel() are for any thread.
class StoredFile final : public ByteStream {
 public:
  /// `path` "-" is standard input; messages call the file `name`. Error (kInput) when it cannot be
  /// opened or is a directory.
  StoredFile(const std::string& path, std::string name, bool digest);
  ~StoredFile() override;
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;

  std::size_t read(char* place, std::size_t size) override;

  /// Up to `size` of the next bytes, fewer only at the end; read() gives them again.
  std::string_view head(std::size_t size);

  /// Lets a read() that waits for a pipe return, and every later one return 0.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

  /// Absent for pipes.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept {
    return bytes_read_.load(std::memory_order_relaxed);
  }

  /// Of what was read, in lower-case hex. Once.
  [[nodiscard]] std::string sha256();

 private:
  class Digest;

  std::size_t read_file(char* place, std::size_t size);
  bool wait_for_bytes();

  std::string name_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::optional<std::uint64_t> size_;
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<bool> cancelled_{false};
  std::string head_;
  std::unique_ptr<Digest> digest_;
};

}  // namespace ratereplay
