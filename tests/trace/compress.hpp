// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ratereplay::testing {

/// One member that holds `text`, made by the library of the compression ("gzip", "zstd", "bzip2",
/// "xz"), with a checksum.
[[nodiscard]] std::string compress(std::string_view compression, std::string_view text);

}  // namespace ratereplay::testing
