// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "error.hpp"
#include "report/checks.hpp"
#include "spec/duration_text.hpp"
#include "text/nearest.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kOperatorBytes = "<>=!";
constexpr std::size_t kMostFraction = 16;  ///< digits behind the point; a percent adds two

constexpr std::array<std::pair<std::string_view, Check::Op>, 6> kOps{
    {{"<", Check::Op::kLess},
     {"<=", Check::Op::kAtMost},
     {">", Check::Op::kGreater},
     {">=", Check::Op::kAtLeast},
     {"==", Check::Op::kEqual},
     {"!=", Check::Op::kNotEqual}}};

struct Suffix {
  std::string_view name;
  Digits factor;
};

constexpr std::array<Suffix, 3> kCountSuffixes{{{"", 1}, {"k", 1000}, {"M", 1'000'000}}};

constexpr std::array<Suffix, 11> kByteSuffixes{{{"", 1},
                                                {"B", 1},
                                                {"kB", 1000},
                                                {"KB", 1000},
                                                {"MB", 1'000'000},
                                                {"GB", 1'000'000'000},
                                                {"TB", 1'000'000'000'000},
                                                {"KiB", Digits{1} << 10},
                                                {"MiB", Digits{1} << 20},
                                                {"GiB", Digits{1} << 30},
                                                {"TiB", Digits{1} << 40}}};

std::string_view trimmed(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(from);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Parses one check; every part is a view into `text`, so that it can be underlined.
class Parser {
 public:
  Parser(std::string_view text, std::size_t number, std::span<const PolicySpec> policies)
      : text_(text), number_(number), policies_(policies) {}

  Check parse() {
    Check check;
    check.expression = std::string(trimmed(text_));
    const std::size_t last = text_.find_last_of(kOperatorBytes);
    if (last == text_.npos) {
      fail("this check compares nothing", text_,
           {"write '[policy] metric op value', as in "
            "'refused_ratio<=5%'; op is < <= > >= == !="});
    }
    std::size_t first = last;
    while (first > 0 && kOperatorBytes.find(text_[first - 1]) != text_.npos) --first;
    const std::string_view op = text_.substr(first, last + 1 - first);
    const auto* known = std::find_if(kOps.begin(), kOps.end(),
                                     [&](const auto& entry) { return entry.first == op; });
    if (known == kOps.end()) {
      fail(fmt::format("'{}' is not an operator of checks", op), op,
           {op == "=" ? "write == for equal" : "operators: < <= > >= == !="});
    }
    check.op = known->second;
    const std::string_view left = trimmed(text_.substr(0, first));
    const std::size_t blank = left.find_last_of(kBlanks);
    const std::string_view metric = blank == left.npos ? left : left.substr(blank + 1);
    check.metric = &parse_metric(metric, op);
    if (blank != left.npos) check.policy = parse_policy_index(trimmed(left.substr(0, blank)));
    parse_value(trimmed(text_.substr(last + 1)), op, check);
    return check;
  }

 private:
  [[noreturn]] void fail(std::string message, std::string_view part,
                         std::vector<std::string> advice) const {
    const auto offset = static_cast<std::size_t>(part.data() - text_.data());
    Place place{fmt::format("--check {}, column {}", number_, offset + 1), std::string(text_),
                offset, std::max<std::size_t>(part.size(), 1)};
    throw Error(ErrorKind::kUsage,
                Diagnostic{std::move(message), std::move(place), std::move(advice)});
  }

  const CheckMetric& parse_metric(std::string_view name, std::string_view op) const {
    if (name.empty()) fail("the metric is missing", op, {metrics_line()});
    const auto metrics = check_metrics();
    const auto known = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const CheckMetric& metric) { return metric.name == name; });
    if (known != metrics.end()) return *known;
    std::vector<std::string_view> names;
    for (const CheckMetric& metric : metrics) names.push_back(metric.name);
    fail(fmt::format("unknown metric '{}'", name), name,
         {suggestion(name, names).value_or(metrics_line())});
  }

  static std::string metrics_line() {
    std::string line = "metrics:";
    for (const CheckMetric& metric : check_metrics()) line.append(" ").append(metric.name);
    return line;
  }

  /// A label as given, or the policy written in another way.
  std::size_t parse_policy_index(std::string_view name) const {
    std::vector<std::string_view> labels;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (policies_[i].label() == name) return i;
      labels.push_back(policies_[i].label());
    }
    if (const auto index = find_canonical(name)) return *index;
    const auto advice = suggestion(name, labels);
    fail(fmt::format("no policy '{}' in this run", name), name,
         {advice.value_or(fmt::format("policies: {}", fmt::join(labels, ", ")))});
  }

  std::optional<std::size_t> find_canonical(std::string_view text) const {
    std::string canonical;
    try {
      canonical = parse_policy(text, "--check").canonical;
    } catch (const Error&) {
      return std::nullopt;
    }
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (policies_[i].canonical != canonical) continue;
      if (found) return std::nullopt;  // two names for one policy
      found = i;
    }
    return found;
  }

  void parse_value(std::string_view value, std::string_view op, Check& check) const {
    if (value.empty()) fail("the value is missing", op, {"write it behind the operator"});
    switch (check.metric->unit) {
      case CheckUnit::kCount:
        return parse_decimal(value, kCountSuffixes, check, "a count, as in 1500 or 1.5k");
      case CheckUnit::kBytes:
        return parse_decimal(value, kByteSuffixes, check, "a size, as in 4096, 64kB or 1.5MiB");
      case CheckUnit::kRatio:
        return parse_ratio(value, check);
      case CheckUnit::kWait:
        break;
    }
    const auto duration = parse_duration(value);
    const bool digits = value.find_first_not_of("0123456789.") == value.npos;
    if (!duration || digits) {
      fail(fmt::format("{} is compared with a duration", check.metric->name), value,
           {digits ? fmt::format("write the unit, as in {}ms", value)
                   : "write one as in 250ms, 2s or 1.5m"});
    }
    check.threshold = static_cast<Digits>(duration->count());
  }

  void parse_ratio(std::string_view value, Check& check) const {
    constexpr std::array<Suffix, 1> kNone{{{"", 1}}};
    const bool percent = value.ends_with('%');
    const std::string_view number = percent ? trimmed(value.substr(0, value.size() - 1)) : value;
    parse_decimal(number, kNone, check, "a ratio, as in 0.05 or 5%");
    if (percent) check.decimals += 2;
    Digits one = 1;
    for (int i = 0; i < check.decimals; ++i) one *= 10;
    if (check.threshold > one) {
      fail(fmt::format("{} is never more than 1", check.metric->name), value,
           {"write 0.05 or 5% for five in a hundred"});
    }
  }

  void parse_decimal(std::string_view value, std::span<const Suffix> suffixes, Check& check,
                     std::string_view wanted) const {
    const std::size_t end = std::min(value.find_first_not_of("0123456789."), value.size());
    const std::string_view number = value.substr(0, end);
    const std::string_view suffix = trimmed(value.substr(end));
    const auto known = std::find_if(suffixes.begin(), suffixes.end(),
                                    [&](const Suffix& entry) { return entry.name == suffix; });
    const std::size_t point = std::min(number.find('.'), number.size());
    const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
    std::string digits(number.substr(0, point));
    digits += fraction;
    const auto parsed = parse_digits(digits);
    const bool shape = point > 0 && (point == number.size() || !fraction.empty());
    if (known == suffixes.end() || !shape || (!parsed && digits.find('.') != digits.npos)) {
      fail(fmt::format("{} is compared with {}", check.metric->name, wanted), value, {});
    }
    if (!parsed || fraction.size() > kMostFraction || *parsed > ~Digits{0} / known->factor) {
      fail("this number has more digits than a check can hold", value,
           {fmt::format("write at most {} digits behind the point", kMostFraction)});
    }
    check.threshold = *parsed * known->factor;
    check.decimals = static_cast<int>(fraction.size());
  }

  std::string_view text_;
  std::size_t number_;
  std::span<const PolicySpec> policies_;
};

}  // namespace

std::vector<Check> parse_checks(std::span<const std::string> texts,
                                std::span<const PolicySpec> policies) {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    checks.push_back(Parser(texts[i], i + 1, policies).parse());
  }
  return checks;
}

}  // namespace ratereplay
