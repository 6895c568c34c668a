// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ratereplay {

/// Bytes that memory has no room for, in a temporary file that has no name any more: the system
/// takes it back however the process ends. Safe on several threads.
class SpillFile {
 public:
  /// In the folder that TMPDIR names, else /tmp. Error(kOutput) when it cannot be made.
  SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  /// A place for so many bytes.
  [[nodiscard]] std::uint64_t reserve(std::uint64_t size) noexcept { return end_.fetch_add(size); }
  /// Error(kOutput) when the bytes cannot be written, Error(kInterrupted) on a signal.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Reads what was written there. Error(kOutput) when it cannot be.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  [[noreturn]] void fail(const char* verb, int error) const;

  std::string folder_;
  int descriptor_ = -1;
  std::atomic<std::uint64_t> end_{0};
};

}  // namespace ratereplay
