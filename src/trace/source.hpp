// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "trace/byte_stream.hpp"
#include "trace/format.hpp"

namespace ratereplay {

struct ArchiveFault;
struct Compression;
class Decompressor;
class ReadAhead;
class StoredFile;

struct SourceOptions {
  bool digest = false;           ///< sha256() will be asked for at the end
  bool allow_truncated = false;  ///< an archive that is cut off is a warning and no error
};

/// One trace as text: opened, decompressed if need be, without its UTF-8 byte order mark. Throws
/// Error (kInput) for what is missing, a directory, unreadable, damaged, or neither text nor a
/// known compression of it. Not for several threads at once, bytes_read() excepted.
class Source {
 public:
  static constexpr std::size_t kSampleBytes = std::size_t{256} << 10;

  /// `path` "-" is standard input.
  explicit Source(const std::string& path, SourceOptions options = {});
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

  /// What the file is compressed with; empty = not at all.
  [[nodiscard]] std::string_view compression() const noexcept;

  // Once read() has returned 0:
  /// The text ends early, since the archive that holds it is cut off.
  [[nodiscard]] bool truncated() const noexcept { return truncated_; }
  /// What was wrong and is no error.
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const noexcept { return warnings_; }

  /// How many bytes the file has as stored, where that is known (not for pipes).
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept;
  /// How many of them have been read; for progress.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;

  /// In lower-case hex, of the bytes as stored; once read() has returned 0.
  [[nodiscard]] std::string sha256();

 private:
  void fill_sample();
  void require_text(std::string_view text) const;
  std::size_t read_text(char* place, std::size_t size);
  void note_fault(const ArchiveFault& fault);

  std::string name_;
  bool allow_truncated_ = false;
  bool truncated_ = false;
  bool fault_noted_ = false;
  std::vector<Diagnostic> warnings_;

  // In the order of their use: each reads the one before it.
  std::unique_ptr<StoredFile> file_;
  const Compression* compression_ = nullptr;
  std::unique_ptr<Decompressor> decoder_;
  std::unique_ptr<ReadAhead> ahead_;
  std::unique_ptr<ByteStream> given_;
  ByteStream* text_ = nullptr;

  std::vector<char> sample_;      // with slack on both sides, once peeked
  std::size_t sample_begin_ = 0;  // after the byte order mark
  std::size_t sample_end_ = 0;
  std::size_t sample_taken_ = 0;  // what read() has handed out
  bool sample_filled_ = false;
  bool sample_whole_ = false;
};

}  // namespace ratereplay
