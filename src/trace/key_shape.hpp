// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/address.hpp"

namespace ratereplay {

/// What a field means where that changes how its texts are taken.
enum class KeyRole : std::uint8_t {
  kRaw,   ///< the bytes of the field
  kIp,    ///< one spelling for each address; see plain_address
  kPath,  ///< of a URL: without scheme, host, query and fragment
};

/// What becomes of a field's text before it is a part of a key, or is compared. Steps apply in the
/// order of the members.
struct KeyShape {
  std::optional<long> element;  ///< of a list with commas: from 0, or from -1 for the last
  KeyRole role = KeyRole::kRaw;
  std::optional<IpPrefix> prefix;  ///< kIp
  std::uint32_t segments = 0;      ///< kPath: so many at most, 0 = all
  bool lower = false;              ///< ASCII letters

  friend bool operator==(const KeyShape&, const KeyShape&) = default;

  /// True when every text stays as it is.
  [[nodiscard]] bool raw() const noexcept { return *this == KeyShape{}; }
  /// True when only plain_address is applied, and no prefix.
  [[nodiscard]] bool plain_ip() const noexcept {
    KeyShape ip;
    ip.role = KeyRole::kIp;
    return *this == ip;
  }
};

/// The text that `shape` makes of `text`: a part of it, a constant with readable bytes behind it,
/// or a text in `buffer`. Empty where there is no such element.
[[nodiscard]] std::string_view shaped(std::string_view text, const KeyShape& shape,
                                      std::string& buffer);

}  // namespace ratereplay
