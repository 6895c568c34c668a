// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "trace/codec.hpp"

namespace ratereplay {
namespace {

/// RFC 8878. A member is a frame; one that is to be skipped holds no text.
class ZstdCodec final : public Codec {
 public:
  ZstdCodec() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
  }

  void start() override { ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only); }

  Step step(std::string_view& in, std::span<char>& out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    code_ = ZSTD_decompressStream(context_.get(), &output, &input);
    in.remove_prefix(input.pos);
    out = out.subspan(output.pos);
    if (ZSTD_isError(code_) != 0) return Step::kDamaged;
    return code_ == 0 ? Step::kEnd : Step::kGoOn;
  }

  [[nodiscard]] std::string_view reason() const override {
    switch (ZSTD_getErrorCode(code_)) {
      case ZSTD_error_checksum_wrong:
        return "the checksum does not match";
      case ZSTD_error_frameParameter_windowTooLarge:
        return "it takes more than 128 MiB to decompress";
      case ZSTD_error_dictionary_wrong:
        return "it was compressed with a dictionary";
      default:
        return "the compressed data is not valid";
    }
  }

 private:
  struct Deleter {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Deleter> context_;
  std::size_t code_ = 0;
};

}  // namespace

std::unique_ptr<Codec> zstd_codec() { return std::make_unique<ZstdCodec>(); }

}  // namespace ratereplay
