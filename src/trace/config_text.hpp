// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ratereplay {

/// Formats of log lines as the configuration of a server has them.

/// A format and the name it goes by.
struct NamedFormat {
  std::string name;
  std::string text;
};

/// What stands behind `-F nginx:` or `-F apache:` where it is no format but FILE or FILE#NAME.
struct ConfigPlace {
  std::string file;
  std::string name;  ///< empty = the only one
};
[[nodiscard]] ConfigPlace config_place(std::string_view parameter);

/// The whole file; at most 16 MiB. Error(kInput) when it cannot be read.
[[nodiscard]] std::string read_config(const std::string& file);

/// The format of that name, or the only one. Error(kInput) when there is none such; `directive` is
/// what it would be defined by.
[[nodiscard]] const NamedFormat& choose_named(const std::vector<NamedFormat>& formats,
                                              const ConfigPlace& place, std::string_view family,
                                              std::string_view directive);

/// Error(kUsage) for a format text, with the place in it.
[[noreturn]] void refuse_format(std::string_view family, std::string_view text, std::size_t offset,
                                std::size_t length, std::string message, std::string advice);

}  // namespace ratereplay
