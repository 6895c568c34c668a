// SPDX-License-Identifier: Apache-2.0
#include "keys/spill_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "error.hpp"
#include "interrupt.hpp"

namespace ratereplay {

SpillFile::SpillFile() {
  const char* const folder = std::getenv("TMPDIR");
  folder_ = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  std::string path = folder_ + "/ratereplay-XXXXXX";
  descriptor_ = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("make", errno);
  unlink(path.c_str());
}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SpillFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    stop_if_interrupted();
    const ssize_t done =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void SpillFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    stop_if_interrupted();
    const ssize_t done = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("read", done < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void SpillFile::fail(const char* verb, int error) const {
  throw Error(ErrorKind::kOutput,
              fmt::format("cannot {} the temporary file of --max-memory in {}: {}", verb, folder_,
                          std::strerror(error)),
              {"name a folder with room in TMPDIR, or allow more memory"});
}

}  // namespace ratereplay
