// SPDX-License-Identifier: Apache-2.0
#include "cli/selection.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "report/number_text.hpp"

namespace ratereplay {
namespace {

void one_value(CLI::Option* option, const char* type, const char* group) {
  option->type_name(type)->allow_extra_args(false)->group(group);
}

}  // namespace

void add_key_and_cost(CLI::App& command, ReadFlags& flags) {
  constexpr const char* kGroup = "Key and cost";
  one_value(command.add_option("-k,--key", flags.keys,
                               "Field, role (ip user method path host status) or an expression "
                               "(lower:path~2); several make a tuple; none = one key for all"),
            "KEY", kGroup);
  one_value(command.add_option("--ip-prefix", flags.ip_prefix,
                               "Addresses of the key by network: bits of IPv4, IPv6 (24,64)"),
            "V4,V6", kGroup);
  static const std::map<std::string, MissingKey> words{
      {"own", MissingKey::kOwn}, {"skip", MissingKey::kSkip}, {"bad", MissingKey::kBad}};
  one_value(command.add_option_function<std::string>(
                "--missing-key",
                [&flags](const std::string& word) {
                  const auto missing = words.find(word);
                  if (missing == words.end()) {
                    throw Error(ErrorKind::kUsage,
                                fmt::format("unknown value '{}' of --missing-key", word),
                                {"values: own, skip, bad"});
                  }
                  flags.missing_key = missing->second;
                },
                "Rows without key: own (one key, '-'), skip (filtered) or bad"),
            "HOW", kGroup);
  one_value(command.add_option("--cost-field", flags.cost_field,
                               "Field that holds the cost, or a sum A+B (1 per request)"),
            "FIELD", kGroup);
}

void add_filters(CLI::App& command, ReadFlags& flags) {
  constexpr const char* kGroup = "Filters";
  one_value(command.add_option_function<std::uint64_t>(
                "--head",
                [&flags](const std::uint64_t& rows) {
                  if (rows == 0) throw Error(ErrorKind::kUsage, "--head 0: at least one row");
                  flags.head = rows;
                },
                "Only the first N rows over all files"),
            "N", kGroup);
  one_value(command.add_option("--since", flags.since,
                               "From this instant on (a duration where times are relative)"),
            "TIME", kGroup);
  one_value(command.add_option("--until", flags.until, "Before this instant"), "TIME", kGroup);
  one_value(
      command.add_option("--where", flags.where,
                         "'FIELD OP VALUE' with = != < <= > >= or ~ (contains); several: all"),
      "CONDITION", kGroup);
  one_value(command.add_option("--exclude-status", flags.exclude_status,
                               "Without these: 429,503 or 5xx or 400-499"),
            "CODES", kGroup);
  one_value(command.add_option("--sample-keys", flags.sample_keys,
                               "A share of the keys, each with all its rows"),
            "P%", kGroup);
}

void note_selection(const TraceFacts& facts, const ReadFlags& flags, const Session& session) {
  if (facts.missing_keys > 0) {
    session.note(
        {fmt::format(
             "no {}key in {} of {} requests: {}", facts.key.size() > 1 ? "whole " : "",
             grouped_text(facts.missing_keys), grouped_text(facts.requests),
             facts.key.size() > 1 ? "'-' stands for the missing part" : "they share one, '-'"),
         std::nullopt,
         {"--missing-key skip leaves them out, --missing-key bad counts them as bad rows"}});
  }
  if (facts.sampled_keys_per_million) {
    const std::uint32_t share = *facts.sampled_keys_per_million;
    session.note({fmt::format("--sample-keys {}: exact for the keys kept ({}), chosen by hash",
                              *flags.sample_keys, grouped_text(facts.keys)),
                  std::nullopt,
                  {fmt::format("for all keys, multiply counts by about {}",
                               *ratio_text({1'000'000, share}, 2))}});
  }
}

}  // namespace ratereplay
