// SPDX-License-Identifier: Apache-2.0
#include <lzma.h>

#include <new>

#include "trace/codec.hpp"

namespace ratereplay {
namespace {

/// Level 9 takes 65 MiB.
constexpr std::uint64_t kMostMemory = std::uint64_t{512} << 20;

class XzCodec final : public Codec {
 public:
  XzCodec() = default;
  XzCodec(const XzCodec&) = delete;
  XzCodec& operator=(const XzCodec&) = delete;
  ~XzCodec() override { lzma_end(&stream_); }

  void start() override {
    if (lzma_stream_decoder(&stream_, kMostMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }

  Step step(std::string_view& in, std::span<char>& out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    code_ = lzma_code(&stream_, LZMA_RUN);
    in.remove_prefix(in.size() - stream_.avail_in);
    out = out.subspan(out.size() - stream_.avail_out);
    if (code_ == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (code_ == LZMA_STREAM_END) return Step::kEnd;
    // LZMA_BUF_ERROR: nothing could be done for want of input.
    return code_ == LZMA_OK || code_ == LZMA_BUF_ERROR ? Step::kGoOn : Step::kDamaged;
  }

  [[nodiscard]] std::string_view reason() const override {
    switch (code_) {
      case LZMA_MEMLIMIT_ERROR:
        return "it takes more than 512 MiB to decompress";
      case LZMA_OPTIONS_ERROR:
        return "it was compressed with options that are not supported";
      default:
        return "the compressed data or its checksum is not valid";
    }
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  lzma_ret code_ = LZMA_OK;
};

}  // namespace

std::unique_ptr<Codec> xz_codec() { return std::make_unique<XzCodec>(); }

}  // namespace ratereplay
