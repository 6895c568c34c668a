// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "run_program.hpp"
#include "trace/codec.hpp"
#include "trace/compress.hpp"
#include "trace/decompressor.hpp"
#include "trace/read_ahead.hpp"
#include "trace/read_text.hpp"
#include "trace/source.hpp"

namespace ratereplay::testing {
namespace {

using namespace std::string_literals;

/// Gives few bytes at a time, and fails behind the last if it is told to.
class Dribble final : public ByteStream {
 public:
  explicit Dribble(std::string_view bytes, std::size_t most, bool fails = false)
      : bytes_(bytes), most_(most), fails_(fails) {}
  std::size_t read(char* place, std::size_t size) override {
    const std::size_t taken = std::min({size, most_, bytes_.size()});
    if (taken == 0 && fails_) throw std::runtime_error("no more");
    std::memcpy(place, bytes_.data(), taken);
    bytes_.remove_prefix(taken);
    return taken;
  }

 private:
  std::string_view bytes_;
  std::size_t most_;
  bool fails_;
};

std::string drain(ByteStream& stream, std::size_t step) {
  std::string text;
  std::string piece(step, '\0');
  while (const std::size_t got = stream.read(piece.data(), step)) text.append(piece, 0, got);
  return text;
}

struct Decoded {
  std::string text;
  std::optional<ArchiveFault> fault;
};

Decoded decode(const Compression& compression, std::string_view bytes, std::size_t in = 1 << 20,
               std::size_t out = 1 << 20) {
  Dribble stored(bytes, in);
  Decompressor decoder(stored, compression);
  Decoded decoded{drain(decoder, out), {}};
  decoded.fault = decoder.fault();
  return decoded;
}

std::string log_text(std::size_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < bytes; ++i) {
    text += std::to_string(1'700'000'000'000 + i * 37) + ",client" + std::to_string(i * i % 97);
    text += i % 7 == 0 ? "\r\n" : "\n";
  }
  text.resize(bytes);
  return text;
}

TEST_CASE("compressed: members end to end are one text, however the bytes come") {
  const std::string text = log_text(20'000);
  for (const Compression& compression : compressions()) {
    CAPTURE(compression.name);
    const std::string first = compress(compression.name, text.substr(0, 12'345));
    const std::string none = compress(compression.name, "");
    const std::string rest = compress(compression.name, text.substr(12'345));
    const std::string all = first + none + rest;
    CHECK(compression_of(all) == &compression);
    for (const std::size_t in : {1, 2, 7, 4096}) {
      for (const std::size_t out : {1, 3, 1000, 1 << 20}) {
        const Decoded decoded = decode(compression, all, in, out);
        CHECK((decoded.text == text));
        CHECK(!decoded.fault);
      }
    }
    CHECK(decode(compression, none).text.empty());
    const std::string large = log_text(3'000'000);
    CHECK((decode(compression, compress(compression.name, large)).text == large));
  }
}

TEST_CASE("compressed: wherever an archive is cut off, it is told, and the text is a prefix") {
  const std::string text = log_text(300);
  for (const Compression& compression : compressions()) {
    CAPTURE(compression.name);
    const std::string member = compress(compression.name, text);
    const std::string all = member + member;
    for (std::size_t size = 6; size < all.size(); ++size) {
      CAPTURE(size);
      const Decoded decoded = decode(compression, all.substr(0, size), 100, 64);
      CHECK((text + text).starts_with(decoded.text));
      if (size == member.size()) {
        CHECK(!decoded.fault);
        CHECK(decoded.text == text);
        continue;
      }
      REQUIRE(decoded.fault);
      // The first bytes of a second member tell nothing yet.
      const bool stub = size > member.size() && size < member.size() + 6;
      if (!stub) CHECK(decoded.fault->kind == ArchiveFault::Kind::kTruncated);
      if (!stub) CHECK(decoded.fault->at == size);
      if (size > member.size()) CHECK(decoded.text.size() >= text.size());
    }
  }
}

TEST_CASE("compressed: a changed byte is found, or changes nothing") {
  const std::string text = log_text(300);
  for (const Compression& compression : compressions()) {
    const std::string member = compress(compression.name, text);
    for (std::size_t at = 0; at < member.size(); ++at) {
      for (const unsigned bit : {0x01U, 0x80U, 0xFFU}) {
        std::string changed = member;
        changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bit);
        if (!compression.starts(changed)) continue;
        const Decoded decoded = decode(compression, changed);
        CAPTURE(compression.name);
        CAPTURE(at);
        CHECK((decoded.fault || decoded.text == text));
      }
    }
  }
}

TEST_CASE("compressed: zeros behind members are padding, other bytes are told and left out") {
  for (const Compression& compression : compressions()) {
    CAPTURE(compression.name);
    const std::string a = compress(compression.name, "a\n");
    const std::string b = compress(compression.name, "b\n");
    const std::string zeros(512, '\0');
    const Decoded padded = decode(compression, a + zeros + b + zeros, 100);
    CHECK(padded.text == "a\nb\n");
    CHECK(!padded.fault);
    const Decoded noisy = decode(compression, a + b + "sixteen bytes!!!", 5);
    CHECK(noisy.text == "a\nb\n");
    REQUIRE(noisy.fault);
    CHECK(noisy.fault->kind == ArchiveFault::Kind::kTrailing);
    CHECK(noisy.fault->at == a.size() + b.size());
    CHECK(noisy.fault->bytes == 16);
  }
}

TEST_CASE("compressed: gzip headers may hold a name, a comment and more") {
  const std::string plain = compress("gzip", "a\n");
  // RFC 1952: FLG = FEXTRA, FNAME, FCOMMENT.
  std::string member = plain.substr(0, 3) + '\x1c' + plain.substr(4, 6);
  member += "\x03\0xyz"s + "access.log\0"s + "rotated\0"s + plain.substr(10);
  for (const std::size_t in : {1, 13, 1000}) {
    const Decoded decoded = decode(*compression_of(member), member + member, in);
    CHECK(decoded.text == "a\na\n");
    CHECK(!decoded.fault);
  }
}

TEST_CASE("compressed: zstd frames to be skipped hold no text") {
  // RFC 8878, 3.1.2: magic, size, that many bytes.
  const std::string skipped = "\x5e\x2a\x4d\x18\x05\0\0\0hello"s;
  const std::string frame = compress("zstd", "a\n");
  const Compression* const zstd = compression_of(skipped);
  REQUIRE(zstd != nullptr);
  CHECK(zstd->name == "zstd");
  const Decoded decoded = decode(*zstd, skipped + frame + skipped + frame, 3);
  CHECK(decoded.text == "a\na\n");
  CHECK(!decoded.fault);
}

TEST_CASE("compressed: text that looks a little like an archive is text") {
  for (const std::string text : {"BZh9,time\n1,2\n", "BZhx", "7zXZ", "(\xb5/", "P*M", ""}) {
    CAPTURE(text);
    CHECK(compression_of(text) == nullptr);
  }
}

TEST_CASE("read ahead: the bytes come in order, then what went wrong") {
  const std::string text = log_text(5'000'000);
  Dribble from(text, 700'001);
  ReadAhead ahead(from);
  CHECK((drain(ahead, 123'457) == text));

  Dribble failing(text, 700'001, true);
  ReadAhead until_failure(failing);
  std::string piece(text.size(), '\0');
  std::size_t got = 0;
  CHECK_THROWS_AS(
      while (true) got += until_failure.read(piece.data() + got, piece.size() - got + 1),
      std::runtime_error);
  CHECK(got == text.size());

  Dribble unread(text, 10);
  const ReadAhead dropped(unread);  // does not wait for the end
}

std::string source_message(const std::string& path, bool allow_truncated = false) {
  try {
    Source source(path, {.allow_truncated = allow_truncated});
    static_cast<void>(source.peek());
    std::string all(1 << 20, '\0');
    while (source.read(all.data(), all.size()) > 0) {
    }
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    return error.what() + " --> "s + error.diagnostic().place.value_or(Place{}).at;
  }
  return "no error";
}

TEST_CASE("source: an archive is text with the size and the digest of what is stored") {
  const test::TemporaryFolder folder;
  for (const Compression& compression : compressions()) {
    CAPTURE(compression.name);
    const std::string bytes = compress(compression.name, "\xef\xbb\xbfts,key\n1,a\n");
    Source source(folder.write("log", bytes), {.digest = true});
    CHECK(source.peek().text == "ts,key\n1,a\n");
    CHECK(source.peek().whole);
    CHECK(source.compression() == compression.name);
    CHECK(source.size() == bytes.size());
    std::string text(100, '\0');
    text.resize(source.read(text.data(), text.size()));
    CHECK(text == "ts,key\n1,a\n");
    CHECK(source.read(text.data(), text.size()) == 0);
    CHECK(source.bytes_read() == bytes.size());
    CHECK(source.warnings().empty());
    CHECK(source.sha256().size() == 64);
  }
}

TEST_CASE("source: what an archive must not hold is told with the way to read it") {
  const test::TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    return source_message(folder.write("log.gz", compress("gzip", text)));
  };
  CHECK(message("\xff\xfe"
                "a\0"s)
            .find("UTF-16") != std::string::npos);
  CHECK(message(compress("gzip", "a\n")).find("gzip in gzip") != std::string::npos);
  CHECK(message(compress("xz", "a\n")).find("xz in gzip") != std::string::npos);
  CHECK(message(std::string(257, 'x') + "ustar  ").find("tar archive in gzip") !=
        std::string::npos);
  CHECK(message("") == "no error");
}

TEST_CASE("source: a damaged archive is an error also where a cut-off one is allowed") {
  const test::TemporaryFolder folder;
  std::string bytes = compress("gzip", log_text(100'000));
  const std::string cut = folder.write("cut.gz", bytes.substr(0, 5000));
  CHECK(source_message(cut) ==
        "the gzip archive is cut off --> " + cut + ", after byte 5000 as stored");
  CHECK(source_message(cut, true) == "no error");
  bytes[bytes.size() - 5] ^= 1;
  const std::string damaged = folder.write("damaged.gz", bytes);
  for (const bool allow : {false, true}) {
    CHECK(source_message(damaged, allow) ==
          "the gzip archive is damaged: the checksum does not match --> " + damaged +
              ", after byte " + std::to_string(bytes.size()) + " as stored");
  }
}

TEST_CASE("recorded: both members of a published archive are read") {
  const auto path = recorded_trace("two_member_concat.csv.gz");
  if (!path) return;
  Source source(path->string());
  std::string text(100'000, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source.read(text.data() + size, text.size() - size)) size += got;
  text.resize(size);
  // zcat two_member_concat.csv.gz | wc -l
  CHECK(std::ranges::count(text, '\n') == 15);
  CHECK(text.starts_with("#CHROM\t"));
}

}  // namespace
}  // namespace ratereplay::testing
