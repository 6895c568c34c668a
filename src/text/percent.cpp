// SPDX-License-Identifier: Apache-2.0
#include "text/percent.hpp"

#include <fmt/format.h>

namespace ratereplay {

std::string exact_percent(std::uint64_t part, std::uint64_t whole) {
  __extension__ using Wide = unsigned __int128;
  const auto thousandths =
      static_cast<std::uint64_t>((Wide{part} * 200'000 + whole) / (Wide{whole} * 2));
  return fmt::format("{}.{:03}%", thousandths / 1000, thousandths % 1000);
}

}  // namespace ratereplay
