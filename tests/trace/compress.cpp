// SPDX-License-Identifier: Apache-2.0
#include "trace/compress.hpp"

#include <bzlib.h>
#include <isa-l/igzip_lib.h>
#include <lzma.h>
#include <zstd.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace ratereplay::testing {
namespace {

void require(bool good) {
  if (!good) throw std::runtime_error("cannot compress");
}

std::string gzip(std::string_view text, std::string bytes) {
  const auto stream = std::make_unique<isal_zstream>();
  isal_deflate_stateless_init(stream.get());
  stream->gzip_flag = IGZIP_GZIP;
  stream->end_of_stream = 1;
  stream->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  stream->avail_in = static_cast<std::uint32_t>(text.size());
  stream->next_out = reinterpret_cast<std::uint8_t*>(bytes.data());
  stream->avail_out = static_cast<std::uint32_t>(bytes.size());
  require(isal_deflate_stateless(stream.get()) == COMP_OK);
  bytes.resize(bytes.size() - stream->avail_out);
  return bytes;
}

std::string zstd(std::string_view text, std::string bytes) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  require(context != nullptr);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size =
      ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  require(ZSTD_isError(size) == 0);
  bytes.resize(size);
  return bytes;
}

std::string bzip2(std::string_view text, std::string bytes) {
  auto size = static_cast<unsigned>(bytes.size());
  require(BZ2_bzBuffToBuffCompress(bytes.data(), &size, const_cast<char*>(text.data()),
                                   static_cast<unsigned>(text.size()), 9, 0, 0) == BZ_OK);
  bytes.resize(size);
  return bytes;
}

std::string xz(std::string_view text, std::string bytes) {
  std::size_t size = 0;
  require(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                  reinterpret_cast<std::uint8_t*>(bytes.data()), &size,
                                  bytes.size()) == LZMA_OK);
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string compress(std::string_view compression, std::string_view text) {
  std::string room(text.size() + text.size() / 10 + 1000, '\0');
  if (compression == "gzip") return gzip(text, std::move(room));
  if (compression == "zstd") return zstd(text, std::move(room));
  if (compression == "bzip2") return bzip2(text, std::move(room));
  require(compression == "xz");
  return xz(text, std::move(room));
}

}  // namespace ratereplay::testing
