// SPDX-License-Identifier: Apache-2.0
#include "trace/regex_format.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/config_text.hpp"
#include "trace/lines.hpp"
#include "trace/request_parts.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kFamily = "regex";
constexpr std::string_view kNoMatch = "the line does not match the pattern";

/// `(?<name>` as RE2 wants it. In a class or behind a backslash a bracket is none, and `(?<=`
/// stays.
std::string python_names(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    out += rest.front();
    if (rest.front() == '\\' && rest.size() > 1) {
      out += pattern[++i];
    } else if (in_class) {
      in_class = rest.front() != ']';
    } else if (rest.front() == '[') {
      in_class = true;
      // A bracket that comes first is one of the class.
      const std::size_t first = rest.substr(1).starts_with('^') ? 2 : 1;
      if (rest.substr(first).starts_with(']')) {
        out += rest.substr(1, first);
        i += first;
      }
    } else if (rest.starts_with("(?<") && rest.size() > 3 && rest[3] != '=' && rest[3] != '!') {
      out += "?P<";
      i += 2;
    }
  }
  return out;
}

/// One pattern, compiled. Every thread has its own: the states that RE2 makes as it goes are behind
/// a lock.
class Pattern {
 public:
  explicit Pattern(const std::string& pattern) : regex_(pattern, options()) {}

  [[nodiscard]] const re2::RE2& regex() const { return regex_; }

  /// The first `groups` groups of the first match; false when there is none.
  [[nodiscard]] bool match(std::string_view line, std::vector<re2::StringPiece>& groups) const {
    const re2::StringPiece text(line.data(), line.size());
    return regex_.Match(text, 0, text.size(), re2::RE2::UNANCHORED, groups.data(),
                        static_cast<int>(groups.size()));
  }

 private:
  static re2::RE2::Options options() {
    constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_max_mem(kMostBytes);
    options.set_log_errors(false);
    return options;
  }

  re2::RE2 regex_;
};

/// The named groups of a pattern, in their order.
struct Groups {
  std::vector<std::string> names;
  std::vector<std::size_t> numbers;
};

class RegexReader final : public BlockReader {
 public:
  RegexReader(const std::string& pattern, const Groups& groups, const RequestParts& parts,
              const ReadPlan& plan)
      : pattern_(pattern),
        numbers_(groups.numbers),
        parts_(parts),
        builder_(plan),
        wanted_(parts_.places(plan)),
        texts_(parts_.names().size()),
        cells_(plan.wanted.size()),
        splits_request_(parts_.wants_parts(wanted_)) {
    // Groups behind the last one that is wanted cost time to find.
    std::size_t last = splits_request_ ? numbers_.back() : 0;
    for (const std::size_t place : wanted_) {
      if (place < numbers_.size()) last = std::max(last, numbers_[place]);
    }
    matches_.resize(last + 1);
  }

  void read(const Block& block, RowBatch& batch) override {
    read_record_lines(block, batch,
                      [&](std::string_view record, std::uint64_t line, std::uint32_t shift) {
                        read_line(record, line, shift, batch);
                      });
  }

 private:
  void read_line(std::string_view record, std::uint64_t line, std::uint32_t shift,
                 RowBatch& batch) {
    if (!pattern_.match(record, matches_)) {
      batch.add_bad(BadKind::kSyntax, line, 1 + shift, [] { return std::string(kNoMatch); });
      return;
    }
    for (std::size_t i = 0; i < numbers_.size() && numbers_[i] < matches_.size(); ++i) {
      texts_[i] = {matches_[numbers_[i]].data(), matches_[numbers_[i]].size()};
    }
    if (splits_request_) parts_.split(texts_);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      cells_[i] = field_cell(record, texts_[wanted_[i]], shift);
    }
    builder_.build(cells_, line, batch);
  }

  Pattern pattern_;
  std::vector<std::size_t> numbers_;
  RequestParts parts_;
  RowBuilder builder_;
  std::vector<std::size_t> wanted_;
  std::vector<re2::StringPiece> matches_;
  std::vector<std::string_view> texts_;
  std::vector<Cell> cells_;
  bool splits_request_;
};

class RegexFormat final : public Format {
 public:
  RegexFormat(std::string_view pattern, std::string translated, Groups groups)
      : flag_(fmt::format("{}:{}", kFamily, pattern)),
        pattern_(std::move(translated)),
        groups_(std::move(groups)),
        parts_(groups_.names) {}

  [[nodiscard]] std::string_view name() const override { return kFamily; }
  [[nodiscard]] std::string flag() const override { return flag_; }
  [[nodiscard]] std::string_view summary() const override {
    return "lines that a regular expression matches";
  }
  [[nodiscard]] bool dash_is_missing() const override { return true; }

  [[nodiscard]] Recognition recognise(const Sample&) const override {
    Recognition found;
    found.layout.names = parts_.names();
    return found;
  }

  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout&) const override {
    const Pattern pattern(pattern_);
    SampleTable table;
    for (const std::string& name : parts_.names()) table.fields.push_back({name, {}, {}});
    std::vector<re2::StringPiece> matches(groups_.numbers.back() + 1);
    std::vector<std::string_view> texts(table.fields.size());
    each_record_line(sample, [&](std::string_view line) {
      if (!pattern.match(line, matches)) return;
      for (std::size_t i = 0; i < groups_.numbers.size(); ++i) {
        const re2::StringPiece& match = matches[groups_.numbers[i]];
        texts[i] = {match.data(), match.size()};
      }
      parts_.split(texts);
      add_record(table, line, texts);
    });
    return table;
  }

  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<LineCutter>();
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<RegexReader>(pattern_, groups_, parts_, plan);
  }

 private:
  std::string flag_;
  std::string pattern_;
  Groups groups_;
  RequestParts parts_;
};

}  // namespace

std::shared_ptr<const Format> make_regex_format(std::string_view pattern) {
  std::string translated = python_names(pattern);
  const Pattern compiled(translated);
  if (!compiled.regex().ok()) {
    const std::string& part = compiled.regex().error_arg();
    const std::size_t found = part.empty() ? pattern.size() : pattern.rfind(part);
    const std::size_t offset = found == std::string_view::npos ? 0 : found;
    refuse_format(kFamily, pattern, offset, found == std::string_view::npos ? 0 : part.size(),
                  fmt::format("the pattern cannot be used: {}", compiled.regex().error()),
                  "patterns are those of RE2: no look-around, no back-references");
  }
  Groups groups;
  for (const auto& [number, name] : compiled.regex().CapturingGroupNames()) {
    groups.names.push_back(name);
    groups.numbers.push_back(static_cast<std::size_t>(number));
  }
  if (groups.names.empty()) {
    refuse_format(kFamily, pattern, 0, pattern.size(), "the pattern has no named group",
                  "name the fields: (?P<time>…) (?P<ip>…)");
  }
  return std::make_shared<RegexFormat>(pattern, std::move(translated), std::move(groups));
}

}  // namespace ratereplay
