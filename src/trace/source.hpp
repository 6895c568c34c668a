// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/byte_stream.hpp"
#include "trace/format.hpp"

namespace ratereplay {

class FileStream;

/// One trace as text: opened, recognised as compressed or not, without its UTF-8 byte order mark.
/// Throws Error (kInput) for what is missing, a directory, unreadable or in an encoding that is not
/// read. Not for several threads at once, bytes_read() excepted.
class Source {
 public:
  static constexpr std::size_t kSampleBytes = std::size_t{256} << 10;

  /// `path` "-" is standard input. With `digest`, sha256() can be asked for at the end.
  explicit Source(std::string path, bool digest = false);
  /// Text from elsewhere; it is taken as it is, but for the byte order mark.
  Source(std::unique_ptr<ByteStream> text, std::string name);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// What messages call it: the path, or "standard input".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The first bytes, for detection; they are read again by read(). The text lives as long as this.
  [[nodiscard]] Sample peek();

  /// The text in order, up to `size` bytes at a time; 0 = the end.
  std::size_t read(char* place, std::size_t size);

  /// How many bytes the file has as stored, where that is known (not for pipes).
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept;
  /// How many of them have been read; for progress.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;

  /// In lower-case hex, of the bytes as stored; once read() has returned 0.
  [[nodiscard]] std::string sha256();

 private:
  void fill_sample();

  std::string name_;
  std::unique_ptr<FileStream> file_;
  std::unique_ptr<ByteStream> decoder_;
  ByteStream* text_ = nullptr;

  std::vector<char> sample_;      // with slack on both sides, once peeked
  std::size_t sample_begin_ = 0;  // after the byte order mark
  std::size_t sample_end_ = 0;
  std::size_t sample_taken_ = 0;  // what read() has handed out
  bool sample_filled_ = false;
  bool sample_whole_ = false;
};

}  // namespace ratereplay
