// SPDX-License-Identifier: Apache-2.0
#include "trace/codec.hpp"

#include <algorithm>
#include <array>

namespace ratereplay {
namespace {

using namespace std::string_view_literals;

bool starts_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"sv); }

/// A frame, or a frame to be skipped, which some compressors write in front.
bool starts_zstd(std::string_view head) {
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
  return head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50 &&
         head.substr(1, 3) == "\x2a\x4d\x18"sv;
}

/// "BZh9" may start a text, so the magic bytes of the first block are looked at as well.
bool starts_bzip2(std::string_view head) {
  if (!head.starts_with("BZh"sv) || head.size() < 4 || head[3] < '1' || head[3] > '9') return false;
  const std::string_view block = head.substr(4, 6);
  return "1AY&SY"sv.starts_with(block) || "\x17\x72\x45\x38\x50\x90"sv.starts_with(block);
}

bool starts_xz(std::string_view head) {
  return head.starts_with(
      "\xfd"
      "7zXZ\0"sv);
}

constexpr std::array kCompressions{
    Compression{"gzip", "gzip -dc", "gzip -t", starts_gzip, gzip_codec},
    Compression{"zstd", "zstd -dc", "zstd -t", starts_zstd, zstd_codec},
    Compression{"bzip2", "bzip2 -dc", "bzip2 -t", starts_bzip2, bzip2_codec},
    Compression{"xz", "xz -dc", "xz -t", starts_xz, xz_codec},
};

}  // namespace

std::span<const Compression> compressions() { return kCompressions; }

const Compression* compression_of(std::string_view head) {
  const auto found = std::ranges::find_if(
      kCompressions, [&](const Compression& compression) { return compression.starts(head); });
  return found == kCompressions.end() ? nullptr : &*found;
}

}  // namespace ratereplay
