// SPDX-License-Identifier: Apache-2.0
#include "trace/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>

namespace ratereplay {
namespace {

constexpr std::size_t kV4Bytes = 4;
constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

void keep_bits(std::span<unsigned char> bytes, int bits) {
  for (unsigned char& byte : bytes) {
    const int kept = std::clamp(bits, 0, 8);
    byte = static_cast<unsigned char>(byte & (0xFF00U >> kept));
    bits -= 8;
  }
}

}  // namespace

std::string_view strip_port(std::string_view address) noexcept {
  if (address.starts_with('[')) {
    const std::size_t close = address.find(']');
    if (close != std::string_view::npos && close > 1) return address.substr(1, close - 1);
  }
  const std::size_t colon = address.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == address.size()) return address;
  if (address.find_first_not_of("0123456789", colon + 1) != std::string_view::npos) return address;
  return address.substr(0, colon);
}

std::string_view plain_address(std::string_view text, const std::optional<IpPrefix>& prefix,
                               std::string& buffer) {
  const std::string_view bare = strip_port(text);
  const bool colons = bare.find(':') != bare.npos;
  if (!colons && !prefix) return bare;
  const std::size_t percent = colons ? std::min(bare.find('%'), bare.size()) : bare.size();
  const std::string_view zone = bare.substr(percent);
  std::array<char, INET6_ADDRSTRLEN> spelled{};
  if (percent >= spelled.size() || bare.substr(0, percent).find('\0') != bare.npos) return bare;
  std::copy_n(bare.data(), percent, spelled.data());

  std::array<unsigned char, 16> bytes{};
  if (inet_pton(colons ? AF_INET6 : AF_INET, spelled.data(), bytes.data()) != 1) return bare;
  const bool mapped = colons && std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
  if (mapped) std::copy_n(bytes.begin() + kMapped.size(), kV4Bytes, bytes.begin());
  const bool v4 = !colons || mapped;
  if (prefix) {
    keep_bits(std::span(bytes).first(v4 ? kV4Bytes : bytes.size()), v4 ? prefix->v4 : prefix->v6);
  }
  inet_ntop(v4 ? AF_INET : AF_INET6, bytes.data(), spelled.data(), spelled.size());
  buffer.assign(spelled.data());
  if (!v4) buffer += zone;
  if (prefix) fmt::format_to(std::back_inserter(buffer), "/{}", v4 ? prefix->v4 : prefix->v6);
  return buffer;
}

}  // namespace ratereplay
