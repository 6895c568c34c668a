// SPDX-License-Identifier: Apache-2.0
#include "spec/policy_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "error.hpp"
#include "interrupt.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"
#include "spec/policy_parser.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::string_view kBlank = " \t\r\v\f";

std::string read_file(const std::string& path) {
  const auto refuse = [&](int error) {
    if (error == EINTR) stop_if_interrupted();
    throw Error(ErrorKind::kUsage, fmt::format("cannot read the policies in '{}': {}", path,
                                               std::generic_category().message(error)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) refuse(errno);
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), size);
    if (text.size() > kMostBytes) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' is longer than {} MiB: this is no file of policies", path,
                              kMostBytes >> 20));
    }
  }
  if (std::ferror(file.get()) != 0) refuse(errno);
  return text;
}

PolicyParser parser_of(std::string_view text, std::string_view origin) {
  return {text,
          [origin](std::size_t column) { return fmt::format("{}, column {}", origin, column); }};
}

}  // namespace

PolicySpec parse_policy(std::string_view text, std::string_view origin) {
  return parser_of(text, origin).parse();
}

GivenPolicy parse_given_policy(std::string_view text, std::string_view origin) {
  return parser_of(text, origin).parse_given();
}

std::vector<GivenPolicy> read_policy_file(const std::string& path) {
  const std::string whole = read_file(path);
  std::string_view rest = whole;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  std::vector<GivenPolicy> specs;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    text = text.substr(0, text.find('#'));
    const std::size_t front = text.find_first_not_of(kBlank);
    if (front == text.npos) continue;
    text = text.substr(front, text.find_last_not_of(kBlank) + 1 - front);
    specs.push_back(PolicyParser(text, [&](std::size_t column) {
                      return fmt::format("{}:{}:{}", path, line, front + column);
                    }).parse_given());
  }
  if (specs.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no policy in '{}'", path),
                {"write one a line, such as sliding-log:100/1s; # begins a comment"});
  }
  return specs;
}

void require_distinct_labels(std::span<const PolicySpec> specs) {
  std::set<std::string_view> seen;
  for (const PolicySpec& spec : specs) {
    if (seen.insert(spec.label()).second) continue;
    if (!spec.name.empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("two policies are called '{}'", spec.name),
                  {"give each a name of its own"});
    }
    throw Error(ErrorKind::kUsage, fmt::format("the policy {} is given twice", spec.canonical),
                {fmt::format("if that is meant, name them: a={0} b={0}", spec.canonical)});
  }
}

std::string canonical_text(const AnyPolicy& policy) {
  const Limit& limit = limit_of(policy);
  std::string text =
      fmt::format("{}:{}/{}", policy_name(policy), limit.count, duration_text(limit.window));
  const Options& options = options_of(policy);
  for (const Option option : taken_options(policy)) {
    const auto value = option_text(options, option);
    const auto words = option_words(option);
    const bool left_out = !value || (!words.empty() && words.front() == *value) ||
                          (option == Option::kClock && options.clock == Duration{1});
    if (!left_out) text += fmt::format(",{}={}", option_name(option), *value);
  }
  return text;
}

}  // namespace ratereplay
