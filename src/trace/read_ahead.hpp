// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "trace/byte_stream.hpp"

namespace ratereplay {

/// Reads another stream on a thread of its own, up to 16 MiB ahead, so that a decoder need not wait
/// for those who read what it decodes.
class ReadAhead final : public ByteStream {
 public:
  /// `from` is read by no one else from now on, and must outlive this.
  explicit ReadAhead(ByteStream& from);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  /// Waits for the thread, which may be inside from.read().
  ~ReadAhead() override;

  /// What from.read() throws is thrown here, behind the bytes that it gave before. After a return
  /// of 0, `from` may be asked about its end.
  std::size_t read(char* place, std::size_t size) override;

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
  static constexpr std::size_t kChunks = 64;

  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  void run();
  bool fill(Chunk& chunk);

  ByteStream& from_;
  std::array<Chunk, kChunks> ring_;
  std::size_t oldest_ = 0;  // chunk that waits to be read; the reader's alone, as taken_
  std::size_t taken_ = 0;   // bytes of it

  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable emptied_;
  std::size_t count_ = 0;  // chunks that wait to be read; guarded, as all that follow
  bool ended_ = false;
  bool stop_ = false;
  std::exception_ptr failure_;

  std::thread thread_;
};

}  // namespace ratereplay
