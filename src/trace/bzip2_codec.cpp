// SPDX-License-Identifier: Apache-2.0
#include <bzlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "trace/codec.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();

class Bzip2Codec final : public Codec {
 public:
  Bzip2Codec() = default;
  Bzip2Codec(const Bzip2Codec&) = delete;
  Bzip2Codec& operator=(const Bzip2Codec&) = delete;
  ~Bzip2Codec() override { close(); }

  void start() override {
    close();
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    open_ = true;
  }

  Step step(std::string_view& in, std::span<char>& out) override {
    const std::size_t in_size = std::min(in.size(), kMost);
    const std::size_t out_size = std::min(out.size(), kMost);
    // The library takes its input by a pointer to bytes that it does not write.
    stream_.next_in = const_cast<char*>(in.data());
    stream_.avail_in = static_cast<unsigned>(in_size);
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<unsigned>(out_size);
    const int code = BZ2_bzDecompress(&stream_);
    in.remove_prefix(in_size - stream_.avail_in);
    out = out.subspan(out_size - stream_.avail_out);
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    if (code == BZ_STREAM_END) return Step::kEnd;
    return code == BZ_OK ? Step::kGoOn : Step::kDamaged;
  }

  /// The library does not tell a wrong checksum from other damage.
  [[nodiscard]] std::string_view reason() const override {
    return "the compressed data or its checksum is not valid";
  }

 private:
  void close() noexcept {
    if (open_) BZ2_bzDecompressEnd(&stream_);
    open_ = false;
  }

  bz_stream stream_{};
  bool open_ = false;
};

}  // namespace

std::unique_ptr<Codec> bzip2_codec() { return std::make_unique<Bzip2Codec>(); }

}  // namespace ratereplay
