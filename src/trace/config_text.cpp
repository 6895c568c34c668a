// SPDX-License-Identifier: Apache-2.0
#include "trace/config_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "error.hpp"
#include "text/nearest.hpp"

namespace ratereplay {

ConfigPlace config_place(std::string_view parameter) {
  const std::size_t hash = std::min(parameter.rfind('#'), parameter.size());
  return {std::string(parameter.substr(0, hash)),
          std::string(parameter.substr(std::min(hash + 1, parameter.size())))};
}

std::string read_config(const std::string& file) {
  constexpr std::streamsize kMostBytes = std::streamsize{16} << 20;
  std::error_code fault;
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (stream && !std::filesystem::is_directory(file, fault)) {
    text.resize(static_cast<std::size_t>(kMostBytes));
    stream.read(text.data(), kMostBytes);
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (!stream.bad()) return text;
  }
  throw Error(ErrorKind::kInput, fmt::format("cannot read the configuration {}", file),
              {"-F takes a format, or a file that defines one, with #NAME behind it"});
}

const NamedFormat& choose_named(const std::vector<NamedFormat>& formats, const ConfigPlace& place,
                                std::string_view family, std::string_view directive) {
  if (formats.empty()) {
    throw Error(ErrorKind::kInput, fmt::format("no {} in {}", directive, place.file),
                {"files that it includes are not looked at: name the one that defines the format"});
  }
  if (place.name.empty() && formats.size() == 1) return formats.front();
  std::vector<std::string_view> names;
  std::string list;
  for (const NamedFormat& format : formats) {
    // The last definition of a name is the one in force.
    names.push_back(format.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", format.name);
  }
  for (auto format = formats.rbegin(); format != formats.rend(); ++format) {
    if (!place.name.empty() && format->name == place.name) return *format;
  }
  std::vector<std::string> advice;
  if (auto near = suggestion(place.name, names)) advice.push_back(*std::move(near));
  advice.push_back(fmt::format("it defines: {}", list));
  throw Error(ErrorKind::kInput,
              place.name.empty() ? fmt::format("-F {}:{}: which {}? Write {}#NAME", family,
                                               place.file, directive, place.file)
                                 : fmt::format("no {} {} in {}", directive, place.name, place.file),
              std::move(advice));
}

void refuse_format(std::string_view family, std::string_view text, std::size_t offset,
                   std::size_t length, std::string message, std::string advice) {
  throw Error(ErrorKind::kUsage,
              Diagnostic{std::move(message),
                         Place{fmt::format("-F {}, column {}", family, offset + 1),
                               std::string(text), offset, length},
                         {std::move(advice)}});
}

}  // namespace ratereplay
