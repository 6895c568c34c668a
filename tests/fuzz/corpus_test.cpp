// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "fuzz/targets.hpp"
#include "run_program.hpp"

namespace ratereplay::fuzz {
namespace {

TEST_CASE("every input of the fuzz corpora keeps the promises") {
  for (const Target& target : kTargets) {
    CAPTURE(target.name);
    const auto folder =
        std::filesystem::path(RATEREPLAY_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / target.name;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
    std::ranges::sort(files);
    CHECK_FALSE(files.empty());
    for (const auto& file : files) {
      CAPTURE(file);
      CHECK_NOTHROW(target.run(test::read_text(file.string())));
    }
    CHECK_NOTHROW(target.run(""));
  }
}

}  // namespace
}  // namespace ratereplay::fuzz
