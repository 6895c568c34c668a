// SPDX-License-Identifier: Apache-2.0
#include "trace/apache_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trace/apache_directive.hpp"
#include "trace/config_text.hpp"
#include "trace/lines.hpp"
#include "trace/template_format.hpp"
#include "trace/time_scan.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kFamily = "apache";
constexpr std::size_t kNone = std::string_view::npos;

/// Turns the text of a LogFormat into a template.
class Compiler {
 public:
  explicit Compiler(std::string_view text) : text_(text) {}

  LineTemplate compile() {
    for (std::size_t at = 0; at < text_.size();) {
      const char after = at + 1 < text_.size() ? text_[at + 1] : '\0';
      if (text_[at] == '%' && after == '%') {
        literal_ += '%';
        at += 2;
      } else if (text_[at] == '%') {
        add(take_directive(kFamily, text_, at));
      } else if (text_[at] == '\\' && after != '\0') {
        literal_ += after == 't' ? '\t' : after;
        at += 2;
      } else {
        literal_ += text_[at++];
      }
    }
    if (fields_.empty()) {
      refuse_format(kFamily, text_, 0, text_.size(), "the format has no directive",
                    "write it as LogFormat has it: '%h %l %u %t \"%r\" %>s %b'");
    }
    settle_time();
    const std::size_t required = fields_.size();
    return {std::move(fields_), std::move(literal_), {required}};
  }

 private:
  void add(const ApacheDirective& directive) {
    const bool time = !directive.pattern.empty();
    if (time && in_time_ && literal_.find('%') == kNone) {
      // Parts of one stamp, as in %{%d/%b/%Y:%T}t.%{msec_frac}t.
      pattern_ += literal_ + directive.pattern;
      fields_.back().shape = FieldShape::kText;
      literal_.clear();
      return;
    }
    settle_time();
    if (time) {
      in_time_ = true;
      pattern_ = directive.pattern;
      time_offset_ = directive.offset;
    }
    if (directive.name == "time" && !time) literal_ += '[';
    if (literal_.empty() && !fields_.empty()) {
      // Nothing tells where the one ends and the other begins: together they are one field.
      fields_.back().name += fmt::format("%{}", directive.name);
      fields_.back().shape = FieldShape::kText;
      fields_.back().time.reset();
      in_time_ = false;
      return;
    }
    TemplateField field{std::move(literal_), unique(directive.name), directive.shape, false, {}};
    literal_.clear();
    if (directive.name == "time" && !time) {
      field.time = clf_time();
      literal_ = "]";
    }
    field.digit = field.time.has_value();
    fields_.push_back(std::move(field));
  }

  /// The stamp that was gathered is complete.
  void settle_time() {
    if (!in_time_) return;
    in_time_ = false;
    TimeFormat format{TimeStyle::kPattern, {}, pattern_};
    if (pattern_ == "%s") format = {TimeStyle::kEpoch, std::chrono::seconds{1}, {}};
    if (pattern_ == kApacheMsec) format = {TimeStyle::kEpoch, std::chrono::milliseconds{1}, {}};
    if (pattern_ == kApacheUsec) format = {TimeStyle::kEpoch, std::chrono::microseconds{1}, {}};
    if (format.style == TimeStyle::kPattern) {
      if (const std::string wrong = check_pattern(pattern_); !wrong.empty()) {
        refuse_format(kFamily, text_, time_offset_, 1,
                      fmt::format("this time cannot be read: {}", wrong),
                      "name a date and a time of day together, as in %{%Y-%m-%d %T}t");
      }
    }
    fields_.back().blanks =
        static_cast<std::size_t>(std::count(pattern_.begin(), pattern_.end(), ' '));
    fields_.back().time = std::move(format);
  }

  [[nodiscard]] std::string unique(const std::string& name) const {
    const auto same = std::count_if(fields_.begin(), fields_.end(), [&](const TemplateField& one) {
      return one.name == name || one.name.starts_with(name + '_');
    });
    const bool taken = std::any_of(fields_.begin(), fields_.end(),
                                   [&](const TemplateField& one) { return one.name == name; });
    return taken ? fmt::format("{}_{}", name, same + 1) : name;
  }

  std::string_view text_;
  std::vector<TemplateField> fields_;
  std::string literal_;
  bool in_time_ = false;
  std::string pattern_;
  std::size_t time_offset_ = 0;
};

/// The next word of a line of a configuration: quoted, with escapes undone, or up to a blank.
std::string take_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  std::string word;
  if (line.empty()) return word;
  const char quote = line.front();
  if (quote != '"' && quote != '\'') {
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
  }
  std::size_t at = 1;
  for (; at < line.size() && line[at] != quote; ++at) {
    const bool escape =
        line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == quote || line[at + 1] == '\\');
    word += line[at += escape ? 1 : 0];
  }
  line.remove_prefix(std::min(at + 1, line.size()));
  return word;
}

bool is_log_format(std::string_view word) {
  constexpr std::string_view kName = "logformat";
  return std::equal(word.begin(), word.end(), kName.begin(), kName.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

std::vector<NamedFormat> log_formats(std::string_view config) {
  std::vector<NamedFormat> found;
  while (!config.empty()) {
    std::string line(take_line(config));
    while (line.ends_with('\\') && !config.empty()) {
      line.pop_back();
      line += take_line(config);
    }
    std::string_view rest = line;
    if (!is_log_format(take_word(rest))) continue;
    NamedFormat format;
    format.text = take_word(rest);
    format.name = take_word(rest);
    if (!format.text.empty() && !format.name.empty()) found.push_back(std::move(format));
  }
  return found;
}

std::string format_text(std::string_view parameter) {
  if (parameter.find('%') != kNone) {
    // The whole directive, as it stands in a configuration.
    const std::vector<NamedFormat> pasted = log_formats(parameter);
    return pasted.empty() ? std::string(parameter) : pasted.front().text;
  }
  const ConfigPlace place = config_place(parameter);
  return choose_named(log_formats(read_config(place.file)), place, kFamily, "LogFormat").text;
}

}  // namespace

std::shared_ptr<const Format> make_apache_format(std::string_view parameter) {
  return make_template_format({std::string(kFamily), "lines of an Apache LogFormat",
                               Compiler(format_text(parameter)).compile(), nullptr,
                               fmt::format("{}:{}", kFamily, parameter)});
}

}  // namespace ratereplay
