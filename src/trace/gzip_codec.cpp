// SPDX-License-Identifier: Apache-2.0
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "trace/codec.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();

/// RFC 1952.
class GzipCodec final : public Codec {
 public:
  void start() override {
    isal_inflate_init(state_.get());
    // The header is read by itself: isal_inflate of version 2.30 reads it into memory that it never
    // set, and fails at random where the header holds a file name.
    state_->crc_flag = ISAL_GZIP_NO_HDR_VER;
    header_ = {};
    isal_gzip_header_init(&header_);
    in_header_ = true;
  }

  Step step(std::string_view& in, std::span<char>& out) override {
    const std::size_t in_size = std::min(in.size(), kMost);
    const std::size_t out_size = std::min(out.size(), kMost);
    // The library takes its input by a pointer to bytes that it does not write.
    state_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(in.data()));
    state_->avail_in = static_cast<std::uint32_t>(in_size);
    state_->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_->avail_out = static_cast<std::uint32_t>(out_size);
    code_ = ISAL_DECOMP_OK;
    if (in_header_) {
      code_ = isal_read_gzip_header(state_.get(), &header_);
      in_header_ = code_ != ISAL_DECOMP_OK;
    }
    if (!in_header_) code_ = isal_inflate(state_.get());
    in.remove_prefix(in_size - state_->avail_in);
    out = out.subspan(out_size - state_->avail_out);
    if (code_ < 0) return Step::kDamaged;
    if (in_header_) return Step::kGoOn;
    return state_->block_state == ISAL_BLOCK_FINISH ? Step::kEnd : Step::kGoOn;
  }

  [[nodiscard]] std::string_view reason() const override {
    switch (code_) {
      case ISAL_INCORRECT_CHECKSUM:
        return "the checksum does not match";
      case ISAL_INVALID_WRAPPER:
      case ISAL_UNSUPPORTED_METHOD:
        return "the header of a member is not valid";
      default:
        return "the compressed data is not valid";
    }
  }

 private:
  std::unique_ptr<inflate_state> state_ = std::make_unique<inflate_state>();
  isal_gzip_header header_{};
  bool in_header_ = true;
  int code_ = ISAL_DECOMP_OK;
};

}  // namespace

std::unique_ptr<Codec> gzip_codec() { return std::make_unique<GzipCodec>(); }

}  // namespace ratereplay
