// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace ratereplay {

/// How many leading bits of an address are kept.
struct IpPrefix {
  int v4 = 32;
  int v6 = 128;
  friend bool operator==(const IpPrefix&, const IpPrefix&) = default;
};

/// Without a port and without the brackets of an IPv6 address: `[2001:db8::1]:443` and
/// `192.0.2.1:443` lose theirs, `2001:db8::1` has none.
[[nodiscard]] std::string_view strip_port(std::string_view address) noexcept;

/// One spelling for each address: without port and brackets, IPv6 as in RFC 5952 (lower case, no
/// leading zeros, the longest run of zeros as `::`), an IPv4-mapped one as IPv4. A zone (`%eth0`)
/// stays, since it tells apart what are different hosts. With `prefix`, the network:
/// `192.0.2.0/24`. What is no address loses its port only. The answer is a part of `text` or lies
/// in `buffer`.
[[nodiscard]] std::string_view plain_address(std::string_view text,
                                             const std::optional<IpPrefix>& prefix,
                                             std::string& buffer);

/// True for texts that plain_address leaves as they are, at least for all IPv4 without port: short,
/// and of bytes before `:`. Reads eight bytes whatever the length.
[[nodiscard]] inline bool is_plain_address(std::string_view text) noexcept {
  const auto late = [](std::uint64_t word) {
    return (word | (word + 0x46'46'46'46'46'46'46'46)) & 0x80'80'80'80'80'80'80'80;
  };
  std::uint64_t first = 0;
  std::memcpy(&first, text.data(), 8);
  if (text.size() - 8 <= 7) {
    std::uint64_t last = 0;
    std::memcpy(&last, text.data() + text.size() - 8, 8);
    return (late(first) | late(last)) == 0;
  }
  return text.size() - 1 < 7 && late(first << (64 - 8 * text.size())) == 0;
}

}  // namespace ratereplay
