// SPDX-License-Identifier: Apache-2.0
#include "trace/key_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "error.hpp"
#include "text/nearest.hpp"

namespace ratereplay {
namespace {

constexpr std::array<std::string_view, 4> kPrefixes = {"lower", "ip", "path", "raw"};

/// Reads one expression from the outside in.
class ExpressionReader {
 public:
  ExpressionReader(const FieldScope& scope, std::string_view text, std::string_view flag)
      : scope_(scope), text_(text), flag_(flag), rest_(text) {}

  FieldChoice read() {
    while (!find() && take_prefix()) {
    }
    if (!found_ && take_segments()) find();
    if (!found_ && take_element()) find();
    if (!found_) refuse();
    return choice();
  }

 private:
  bool find() {
    found_ = find_field(scope_.table, scope_.layout, rest_, true);
    if (found_ && scope_.own_names && found_->shape.role == KeyRole::kRaw) {
      const std::string& name = scope_.table.fields[found_->index].name;
      if (name == "ip") found_->shape.role = KeyRole::kIp;
      if (name == "path") found_->shape.role = KeyRole::kPath;
    }
    return found_.has_value();
  }

  bool take_prefix() {
    const std::size_t colon = rest_.find(':');
    const std::string_view word = rest_.substr(0, colon);
    if (colon == rest_.npos ||
        std::find(kPrefixes.begin(), kPrefixes.end(), word) == kPrefixes.end())
      return false;
    if (word == "lower") {
      lower_ = true;
    } else {
      if (!role_.empty() && role_ != word) {
        fail(fmt::format("'{}:' and '{}:' exclude each other", role_, word), {});
      }
      role_ = word;
    }
    before_ += fmt::format("{}:", word);
    rest_.remove_prefix(colon + 1);
    return true;
  }

  bool take_segments() {
    const std::size_t tilde = rest_.rfind('~');
    if (tilde == rest_.npos) return false;
    const std::string_view digits = rest_.substr(tilde + 1);
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, segments_);
    if (read.ec != std::errc{} || read.ptr != end || segments_ == 0) {
      fail(
          fmt::format("'{}' is no number of segments", digits),
          {fmt::format("write {}~2 for the first two segments of a path", rest_.substr(0, tilde))});
    }
    behind_ = rest_.substr(tilde);
    rest_ = rest_.substr(0, tilde);
    if (role_ == "ip" || role_ == "raw") {
      fail(fmt::format("'~' keeps segments of a path, which '{}:' excludes", role_), {});
    }
    role_ = "path";
    return true;
  }

  bool take_element() {
    const std::size_t open = rest_.rfind('[');
    if (open == rest_.npos || !rest_.ends_with(']')) return false;
    const std::string_view number = rest_.substr(open + 1, rest_.size() - open - 2);
    const char* const end = number.data() + number.size();
    long element = 0;
    const auto read = std::from_chars(number.data(), end, element);
    if (read.ec != std::errc{} || read.ptr != end) {
      fail(fmt::format("'{}' is no element of a list", number),
           {fmt::format("write {0}[0] for the first element, {0}[-1] for the last",
                        rest_.substr(0, open))});
    }
    element_ = element;
    behind_ = std::string(rest_.substr(open)) + behind_;
    rest_ = rest_.substr(0, open);
    return true;
  }

  FieldChoice choice() {
    FieldChoice choice = *std::move(found_);
    if (role_ == "ip") choice.shape.role = KeyRole::kIp;
    if (role_ == "path") choice.shape.role = KeyRole::kPath;
    if (role_ == "raw") choice.shape.role = KeyRole::kRaw;
    choice.shape.element = element_;
    choice.shape.segments = segments_;
    choice.shape.lower = lower_;
    choice.shown = before_ + choice.shown + behind_;
    return choice;
  }

  [[noreturn]] void fail(std::string what, std::vector<std::string> advice) const {
    throw Error(ErrorKind::kUsage, fmt::format("{} {}: {}", flag_, text_, what), std::move(advice));
  }

  [[noreturn]] void refuse() const {
    if (const std::size_t colon = rest_.find(':'); colon != rest_.npos) {
      const auto prefix = nearest(rest_.substr(0, colon), kPrefixes);
      if (prefix) {
        fail(fmt::format("'{}:' is unknown", rest_.substr(0, colon)),
             {fmt::format("did you mean '{}:'?", *prefix)});
      }
    }
    (void)need_field(scope_.table, scope_.layout, rest_, flag_, scope_.file, true);
    throw std::logic_error("a field that is there was not found");
  }

  const FieldScope& scope_;
  std::string_view text_;
  std::string_view flag_;
  std::string_view rest_;  // what is left of the text
  std::string before_;
  std::string behind_;
  std::string_view role_;
  bool lower_ = false;
  std::uint32_t segments_ = 0;
  std::optional<long> element_;
  std::optional<FieldChoice> found_;
};

}  // namespace

FieldChoice need_expression(const FieldScope& scope, std::string_view text, std::string_view flag) {
  return ExpressionReader(scope, text, flag).read();
}

}  // namespace ratereplay
