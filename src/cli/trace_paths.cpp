// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_paths.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace ratereplay {
namespace {

/// What tells one file from another.
using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> id_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  if (paths.empty()) {
    throw Error(ErrorKind::kInput, fmt::format("no file matches '{}'", pattern));
  }
  return paths;
}

}  // namespace

std::vector<std::string> trace_paths(const std::vector<std::string>& given,
                                     std::vector<Diagnostic>& warnings) {
  require_one_stdin(given);
  std::vector<std::string> paths;
  for (const std::string& path : given) {
    const bool pattern = path.find_first_of("*?[") != std::string::npos && !id_of(path);
    if (!pattern) {
      paths.push_back(path);
      continue;
    }
    for (std::string& match : matches_of(path)) paths.push_back(std::move(match));
  }
  std::map<FileId, std::string> first_names;
  for (const std::string& path : paths) {
    const std::optional<FileId> id = path == "-" ? std::nullopt : id_of(path);
    if (!id) continue;
    const auto [first, fresh] = first_names.emplace(*id, path);
    if (fresh) continue;
    const std::string also =
        first->second == path ? "twice" : fmt::format("twice, also as {}", first->second);
    warnings.push_back(
        {fmt::format("{} is given {}; its rows count twice", path, also), std::nullopt, {}});
  }
  return paths;
}

void require_one_stdin(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") <= 1) return;
  throw Error(ErrorKind::kUsage, "standard input (-) can be read only once");
}

bool is_same_file(const std::string& a, const std::string& b) {
  const std::optional<FileId> id = id_of(a);
  return id && id == id_of(b);
}

}  // namespace ratereplay
