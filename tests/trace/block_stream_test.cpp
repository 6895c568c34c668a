// SPDX-License-Identifier: Apache-2.0
#include "trace/block_stream.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "error.hpp"
#include "trace/lines.hpp"
#include "trace/read_text.hpp"
#include "trace/source.hpp"

namespace ratereplay::testing {
namespace {

/// A file that goes away with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("ratereplay_source_test_" + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string read_all(Source& source) {
  std::string all(1000, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source.read(all.data() + size, 7)) {
    size += got;
    all.resize(size + 1000);
  }
  all.resize(size);
  return all;
}

std::string message_of(const std::string& path) {
  try {
    Source source(path);
    static_cast<void>(source.peek());
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

TEST_CASE("source: the sample is read again") {
  const TemporaryFile file("a,b\n1,2\n");
  Source source(file.path(), {.digest = true});
  const Sample sample = source.peek();
  CHECK(sample.text == "a,b\n1,2\n");
  CHECK(sample.whole);
  CHECK(read_all(source) == "a,b\n1,2\n");
  CHECK(source.size() == 8);
  CHECK(source.bytes_read() == 8);
  // printf 'a,b\n1,2\n' | sha256sum
  CHECK(source.sha256() == "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470");
}

TEST_CASE("source: a sample of a longer file ends with a line") {
  std::string text;
  while (text.size() < 3 * Source::kSampleBytes) text += "0123456789,abcdef\n";
  const TemporaryFile file(text);
  Source source(file.path());
  const Sample sample = source.peek();
  CHECK(!sample.whole);
  CHECK(sample.text.size() <= Source::kSampleBytes + 1);
  CHECK(sample.text.size() > Source::kSampleBytes - 18);
  CHECK(sample.text.ends_with('\n'));
  CHECK((read_all(source) == text));
}

TEST_CASE("source: a byte order mark is no text") {
  const TemporaryFile file("\xef\xbb\xbfx\n");
  Source source(file.path());
  CHECK(source.peek().text == "x\n");
  CHECK(read_all(source) == "x\n");
}

TEST_CASE("source: what cannot be read is told in one message") {
  CHECK(message_of("/no/such/file").find("No such file") != std::string::npos);
  CHECK(message_of("/").find("directory") != std::string::npos);
  using namespace std::string_literals;
  const auto message = [](const std::string& bytes) {
    const TemporaryFile file(bytes);
    return message_of(file.path());
  };
  CHECK(message("\xff\xfe"
                "a\0"s)
            .find("UTF-16") != std::string::npos);
  CHECK(message("") == "no error");
}

TEST_CASE("block stream: blocks hold whole lines and all bytes in order") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::string(static_cast<std::size_t>(i % 70), 'x') + '\n';
  text += "no line feed";
  for (const std::size_t bytes : {1, 16, 100, 4096, 1'000'000}) {
    const auto source = text_source(text);
    LineCutter cutter;
    BlockStream stream(*source, cutter, bytes);
    BlockBuffer buffer;
    std::string all;
    while (stream.next(buffer)) {
      CHECK(buffer.block.first_of_file == all.empty());
      CHECK(buffer.block.first_column == 1);
      all += buffer.block.text;
      CHECK((buffer.block.text.back() == '\n' || all.size() == text.size()));
    }
    CHECK((all == text));
    CHECK(!stream.next(buffer));
  }
}

}  // namespace
}  // namespace ratereplay::testing
