// SPDX-License-Identifier: Apache-2.0
// The tools shared with the suite use doctest's macros; no test case is run here.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ratereplay::fuzz::RATEREPLAY_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
