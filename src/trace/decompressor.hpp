// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace/byte_stream.hpp"
#include "trace/codec.hpp"

namespace ratereplay {

/// What was wrong with a compressed file. `at` is the number of stored bytes before the place.
struct ArchiveFault {
  enum class Kind : std::uint8_t {
    kTruncated,  ///< the file ends inside a member
    kDamaged,    ///< what follows `at` cannot be decoded, or a checksum does not match
    kTrailing,   ///< `bytes` bytes that are no member follow the last one
  };
  Kind kind = Kind::kDamaged;
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
  std::string reason;  ///< of damage
};

/// The text of all members of a compressed file, one after the other. Zero bytes between and behind
/// members are padding, as tapes leave it. All that can be decoded before a fault is given out.
class Decompressor final : public ByteStream {
 public:
  /// `stored` starts with a member, and must outlive this.
  Decompressor(ByteStream& stored, const Compression& compression);

  std::size_t read(char* place, std::size_t size) override;

  /// Once read() has returned 0.
  [[nodiscard]] const std::optional<ArchiveFault>& fault() const noexcept { return fault_; }

 private:
  static constexpr std::size_t kInputBytes = std::size_t{256} << 10;

  bool find_member();
  void have(std::size_t size);
  void drop(std::size_t size);
  void end(ArchiveFault fault);

  ByteStream& stored_;
  const Compression& compression_;
  std::unique_ptr<Codec> codec_;
  std::unique_ptr<char[]> input_;
  std::string_view pending_;  // of input_, not yet decoded
  std::uint64_t at_ = 0;      // stored bytes before it
  bool stored_ended_ = false;
  bool inside_ = false;  // a member
  bool ended_ = false;
  std::optional<ArchiveFault> fault_;
};

}  // namespace ratereplay
