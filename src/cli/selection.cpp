// SPDX-License-Identifier: Apache-2.0
#include "cli/selection.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "cli/command.hpp"
#include "report/number_text.hpp"
#include "spec/count_text.hpp"

namespace ratereplay {
void add_key_and_cost(Command& command, ReadFlags& flags) {
  Command group = command.group("Key and cost");
  group.add_option("-k,--key", flags.keys, "KEY",
                   "Field, role (ip user method path host status) or an expression "
                   "(lower:path~2); several make a tuple; none = one key for all");
  group.add_option("--ip-prefix", flags.ip_prefix, "V4,V6",
                   "Addresses of the key by network: bits of IPv4, IPv6 (24,64)");
  group.add_choice(
      "--missing-key", flags.missing_key,
      {{"own", MissingKey::kOwn}, {"skip", MissingKey::kSkip}, {"bad", MissingKey::kBad}}, "HOW",
      "Rows without key: own (one key, '-'), skip (filtered) or bad");
  group.add_option("--cost-field", flags.cost_field, "FIELD",
                   "Field that holds the cost, or a sum A+B (1 per request)");
}

void add_filters(Command& command, ReadFlags& flags) {
  Command group = command.group("Filters");
  group.add_option(
      "--head",
      [&flags](const std::string& text) {
        const std::uint64_t rows = need_count("--head", text);
        if (rows == 0) throw Error(ErrorKind::kUsage, "--head 0: at least one row");
        flags.head = rows;
      },
      "N", "Only the first N rows over all files");
  group.add_option("--since", flags.since, "TIME",
                   "From this instant on (a duration where times are relative)");
  group.add_option("--until", flags.until, "TIME", "Before this instant");
  group.add_option("--where", flags.where, "CONDITION",
                   "'FIELD OP VALUE' with = != < <= > >= or ~ (contains); several: all");
  group.add_option("--exclude-status", flags.exclude_status, "CODES",
                   "Without these: 429,503 or 5xx or 400-499");
  group.add_option("--sample-keys", flags.sample_keys, "P%",
                   "A share of the keys, each with all its rows");
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
