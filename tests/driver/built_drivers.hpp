// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ratereplay::test {

/// Where scripts/install-drivers builds the drivers of docs/drivers.
inline std::string drivers_folder() { return RATEREPLAY_SOURCE_DIR "/build/drivers"; }

/// Whether it could build that part here: node, python, go, rust, redis.
inline bool has_drivers(const std::string& part) {
  return std::filesystem::exists(drivers_folder() + '/' + part + ".done");
}

}  // namespace ratereplay::test
