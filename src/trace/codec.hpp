// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace ratereplay {

/// Decodes the members of one compression. A file holds any number of members end to end, each of
/// which starts with the magic bytes and ends by itself; Decompressor leads from one to the next.
class Codec {
 public:
  enum class Step : std::uint8_t {
    kGoOn,    ///< wants more input, or more room
    kEnd,     ///< the member is complete and its checksum holds
    kDamaged  ///< see reason()
  };

  virtual ~Codec() = default;
  /// A member starts at the next byte of input.
  virtual void start() = 0;
  /// Takes bytes off the front of `in`, puts text at the front of `out`, and moves both on. With
  /// `in` empty it gives what it still holds.
  virtual Step step(std::string_view& in, std::span<char>& out) = 0;
  /// Why the last step found damage.
  [[nodiscard]] virtual std::string_view reason() const = 0;
};

/// One way of compressing files.
struct Compression {
  /// So many bytes tell whether a member starts with them.
  static constexpr std::size_t kHeadBytes = 10;

  std::string_view name;
  std::string_view to_text;  ///< the command that decompresses a file to standard output
  std::string_view check;    ///< the command that tests a file
  bool (*starts)(std::string_view head);
  std::unique_ptr<Codec> (*codec)();
};

/// The only list of compressions.
[[nodiscard]] std::span<const Compression> compressions();

/// What a file that starts with `head` is compressed with; null for text.
[[nodiscard]] const Compression* compression_of(std::string_view head);

// The entries of the list, each in its own file.
[[nodiscard]] std::unique_ptr<Codec> gzip_codec();
[[nodiscard]] std::unique_ptr<Codec> zstd_codec();
[[nodiscard]] std::unique_ptr<Codec> bzip2_codec();
[[nodiscard]] std::unique_ptr<Codec> xz_codec();

}  // namespace ratereplay
