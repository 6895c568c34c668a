// SPDX-License-Identifier: Apache-2.0
#include "report/output_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "error.hpp"
#include "run_program.hpp"

namespace ratereplay::test {
namespace {

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kOutput);
    return error.what();
  }
  return "no error";
}

std::size_t entries(const std::string& folder) {
  const auto begin = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator{}));
}

}  // namespace

TEST_CASE("output file: the name appears at finish, with everything in it") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out.csv");
  OutputFile file(path);
  file.write("one\n");
  file.write(std::string(200000, 'x'));
  file.write("\ntwo\n");
  CHECK_FALSE(std::filesystem::exists(path));
  file.finish();
  CHECK(read_text(path) == "one\n" + std::string(200000, 'x') + "\ntwo\n");
  CHECK(entries(folder.root()) == 1);
}

TEST_CASE("output file: without finish the old file stays and no temporary remains") {
  const TemporaryFolder folder;
  const std::string path = folder.write("out.csv", "old");
  {
    OutputFile file(path);
    file.write("new");
    file.flush();
  }
  CHECK(read_text(path) == "old");
  CHECK(entries(folder.root()) == 1);
}

TEST_CASE("output file: a replaced file keeps its mode, a link keeps pointing") {
  const TemporaryFolder folder;
  const std::string path = folder.write("out.csv", "old");
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  const std::string link = folder.path("link");
  REQUIRE(symlink("out.csv", link.c_str()) == 0);
  OutputFile file(link);
  file.write("new");
  file.finish();
  CHECK(read_text(path) == "new");
  CHECK(std::filesystem::is_symlink(link));
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0640U);
}

TEST_CASE("output file: what cannot be written is an error that names the file") {
  const TemporaryFolder folder;
  CHECK(message_of([&] { OutputFile file(folder.root()); }) ==
        "cannot write '" + folder.root() + "': Is a directory");
  const std::string missing = folder.path("no/such/folder.csv");
  CHECK(message_of([&] { OutputFile file(missing); }) ==
        "cannot write '" + missing + "': No such file or directory");
  CHECK(message_of([] {
          OutputFile file("/dev/full");
          file.write("x");
          file.finish();
        }) == "cannot write '/dev/full': No space left on device");
  CHECK(message_of([] { OutputFile file("/dev/fd/987"); }) ==
        "cannot write '/dev/fd/987': Bad file descriptor");
}

TEST_CASE("output file: a FIFO is written directly, and a reader that leaves is no error") {
  std::signal(SIGPIPE, SIG_IGN);
  const TemporaryFolder folder;
  const std::string path = folder.path("fifo");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::string seen(3, '\0');
  std::thread reader([&] {
    const int descriptor = open(path.c_str(), O_RDONLY);
    static_cast<void>(!read(descriptor, seen.data(), seen.size()));
    close(descriptor);
  });
  OutputFile file(path);
  file.write("abc");
  file.flush();
  reader.join();
  CHECK(seen == "abc");
  CHECK_FALSE(file.closed());
  file.write("dropped");
  file.flush();
  CHECK(file.closed());
  file.finish();
  CHECK(entries(folder.root()) == 1);
}

}  // namespace ratereplay::test
