// SPDX-License-Identifier: Apache-2.0
#include "trace/filter_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "error.hpp"
#include "text/percent.hpp"
#include "trace/decimal.hpp"
#include "trace/detect.hpp"
#include "trace/time_bound.hpp"

namespace ratereplay {
namespace {

Condition planned(Condition condition, const FieldScope& scope,
                  const std::function<std::size_t(std::size_t)>& want) {
  const FieldChoice choice = need_expression(scope, condition.field, "--where");
  condition.wanted = want(choice.index);
  condition.shape = choice.shape;
  // The value is spelled as the texts are that it is compared with.
  const bool whole =
      condition.op == Condition::Op::kEqual || condition.op == Condition::Op::kUnequal;
  KeyShape spelling;
  spelling.lower = choice.shape.lower;
  if (whole && choice.shape.role == KeyRole::kIp) spelling.role = KeyRole::kIp;
  std::string buffer;
  condition.value = std::string(shaped(condition.value, spelling, buffer));
  return condition;
}

}  // namespace

RowFilter plan_filter(const ReadFlags& flags, const TimeFormat& time, const FieldScope& scope,
                      const std::function<std::size_t(std::size_t)>& want) {
  RowFilter filter;
  if (flags.since) filter.since = parse_bound(*flags.since, "--since", time);
  if (flags.until) filter.until = parse_bound(*flags.until, "--until", time);
  if (filter.since && filter.until && *filter.since >= *filter.until) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("nothing lies between --since {} and --until {}", *flags.since, *flags.until),
        {"rows are kept from the first instant on, and before the second"});
  }
  for (const std::string& text : flags.where) {
    filter.where.push_back(planned(parse_condition(text), scope, want));
  }
  if (flags.exclude_status) {
    filter.statuses = parse_statuses(*flags.exclude_status);
    const auto status = find_field(scope.table, scope.layout, "status", true);
    if (!status) {
      std::vector<std::string> advice = field_lines(scope.table);
      advice.insert(advice.begin(), "--where 'FIELD != VALUE' leaves rows out by any field");
      throw Error(ErrorKind::kUsage,
                  fmt::format("--exclude-status: {} has no field for the status", scope.file),
                  std::move(advice));
    }
    filter.status = want(status->index);
  }
  if (flags.sample_keys) {
    filter.keys_per_million = parse_share(*flags.sample_keys);
    if (!filter.keys_per_million || *filter.keys_per_million == 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--sample-keys {}: not a share of the keys", *flags.sample_keys),
                  {"write a share above 0% and up to 100%: 1%, 0.05%"});
    }
  }
  return filter;
}

IpPrefix parse_ip_prefix(const std::string& text) {
  IpPrefix prefix;
  const char* const end = text.data() + text.size();
  const auto v4 = std::from_chars(text.data(), end, prefix.v4);
  bool valid = v4.ec == std::errc{} && v4.ptr != end && *v4.ptr == ',';
  if (valid) {
    const auto v6 = std::from_chars(v4.ptr + 1, end, prefix.v6);
    valid = v6.ec == std::errc{} && v6.ptr == end;
  }
  if (valid && prefix.v4 >= 0 && prefix.v4 <= 32 && prefix.v6 >= 0 && prefix.v6 <= 128) {
    return prefix;
  }
  throw Error(ErrorKind::kUsage, fmt::format("--ip-prefix {}: not two numbers of bits", text),
              {"write those of IPv4 (0 to 32) and of IPv6 (0 to 128), e.g. 24,64"});
}

std::optional<Diagnostic> warn_refused(const FieldScope& scope) {
  const auto status = find_field(scope.table, scope.layout, "status", true);
  if (!status || !is_common(scope.table, status->index)) return std::nullopt;
  const std::vector<Cell>& cells = scope.table.fields[status->index].cells;
  const auto refused =
      static_cast<std::uint64_t>(std::count_if(cells.begin(), cells.end(), [](const Cell& cell) {
        return cell.kind >= CellKind::kText && (cell.text == "429" || cell.text == "503");
      }));
  if (refused == 0) return std::nullopt;
  const std::uint64_t rows = scope.table.records;
  return Diagnostic{
      fmt::format("refused when logged: {} of the first {} rows of {} ({})", refused, rows,
                  scope.file, exact_percent(refused, rows)),
      std::nullopt,
      {"status 429 or 503: a limit was in force, and clients may have held back or come again",
       std::string(kLeaveRefusedOut)}};
}

std::string filter_flags(const ReadFlags& flags) {
  std::string text;
  const auto add = [&text](std::string_view flag, std::string_view value) {
    text += fmt::format(" {} {}", flag, shell_word(value));
  };
  const auto add_some = [&](std::string_view flag, const std::optional<std::string>& value) {
    if (value) add(flag, *value);
  };
  if (flags.missing_key == MissingKey::kSkip) add("--missing-key", "skip");
  if (flags.missing_key == MissingKey::kBad) add("--missing-key", "bad");
  add_some("--ip-prefix", flags.ip_prefix);
  if (flags.head) add("--head", std::to_string(*flags.head));
  add_some("--since", flags.since);
  add_some("--until", flags.until);
  for (const std::string& condition : flags.where) add("--where", condition);
  add_some("--exclude-status", flags.exclude_status);
  add_some("--sample-keys", flags.sample_keys);
  return text;
}

}  // namespace ratereplay
