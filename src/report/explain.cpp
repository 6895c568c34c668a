// SPDX-License-Identifier: Apache-2.0
#include "report/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <variant>

#include "report/about_policies.hpp"
#include "report/json_writer.hpp"
#include "report/number_text.hpp"
#include "report/params.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

/// As memory is sold: 24 MB is 24,000,000 bytes. One decimal, rounded half up, where it is not 0.
std::string decimal_bytes_text(Digits bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB"};
  std::size_t unit = 0;
  Digits size = 1;
  while (unit + 1 < kUnits.size() && bytes / size >= 1000) {
    size *= 1000;
    ++unit;
  }
  const auto tenths = static_cast<std::uint64_t>((bytes * 20 + size) / (size * 2));
  if (tenths % 10 == 0) return fmt::format("{} {}", tenths / 10, kUnits[unit]);
  return fmt::format("{}.{} {}", tenths / 10, tenths % 10, kUnits[unit]);
}

constexpr std::size_t kColumns = 100;

std::string grouped_text(Wide value) {
  std::string digits = count_text(static_cast<Digits>(value));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string units_text(Wide value) {
  return fmt::format("{} {}", grouped_text(value), value == 1 ? "unit" : "units");
}

/// The most ns between two instants of one (t - W, t], as the limiter sees them.
Wide seen_span(const Limit& limit, const Options& options) {
  const Wide span = Wide{limit.window.count()} - 1;
  if (!options.clock) return span;
  const Wide clock = options.clock->count();
  return ceil_div(span, clock) * clock;
}

template <Policy P>
Wide bound_of(const P& policy) {
  const Limit& limit = policy.limit();
  const Options& options = policy.options();
  const Wide span = seen_span(limit, options);
  // However the rule works, each instant that the limiter tells apart grants at most the capacity.
  const Wide instants = span / (options.clock ? options.clock->count() : 1) + 1;
  return std::min(About<P>::worst(policy, span), instants * policy.capacity());
}

std::string rate_text(const Limit& limit) {
  const std::string window = duration_text(limit.window);
  std::string text = fmt::format("{} every {}", units_text(limit.count), window);
  if (limit.count == 1) return text;
  if (limit.window.count() % limit.count == 0) {
    return text + fmt::format(": one every {}", duration_text(limit.window / limit.count));
  }
  return text + fmt::format(": one every {}/{}", window, limit.count);
}

std::string_view charge_text(const Options& options) {
  return options.charge == Charge::kAttempted
             ? "charged like an admitted one: a client that keeps asking keeps waiting"
             : "not charged: the state stays as it is";
}

template <Policy P>
void add_sentences(const P& policy, Explanation& made) {
  const Limit& limit = policy.limit();
  const Options& options = policy.options();
  const std::string window = duration_text(limit.window);
  const auto add = [&](std::string_view topic, std::string text) {
    made.sentences.push_back({topic, std::move(text)});
  };
  add("at once", fmt::format("{} for a fresh key; a request that costs more is never admitted",
                             units_text(policy.capacity())));
  add("sustained", rate_text(limit));
  add("worst window", fmt::format("at most {} admitted for a key in any (t - {}, t]",
                                  units_text(bound_of(policy)), window));
  add("refused", std::string(charge_text(options)));
  add("retryAfter", fmt::format("{}, rounded up to the run's tick", About<P>::wait(policy)));
  add("remaining", "the largest cost that would be admitted now, rounded down");
  add("memory",
      fmt::format("{} bytes a key: {}", grouped_text(Wide{made.bytes_per_key}), About<P>::kState));
  add("memory", fmt::format("{} ({} bytes) for {} keys",
                            decimal_bytes_text(static_cast<Digits>(made.bytes_per_key) * made.keys),
                            grouped_text(Wide{made.bytes_per_key} * made.keys),
                            grouped_text(Wide{made.keys})));
  std::vector<std::string> notes;
  About<P>::notes(policy, notes);
  if (options.clock) {
    notes.push_back(
        fmt::format("time is seen in steps of {}: what happens within one is one "
                    "instant, which the worst window allows for",
                    duration_text(*options.clock)));
  }
  for (std::string& note : notes) add("note", std::move(note));
}

/// Bytes a key, and how they grow: learnt from the policy itself.
template <Policy P>
std::string bytes_formula() {
  const auto bytes = [](std::int64_t count) {
    return P(Limit{count, std::chrono::seconds{1}}, Options{}).bytes_per_key();
  };
  const std::int64_t slope = bytes(2) - bytes(1);
  if (slope == 0) return fmt::format("{}", bytes(1));
  if (slope == bytes(1)) return fmt::format("{} x limit", slope);
  return fmt::format("{} + {} x limit", bytes(1) - slope, slope);
}

/// Appends "label  text", the text wrapped and aligned.
void append_line(std::string& out, std::string_view label, std::size_t indent,
                 std::string_view text) {
  out += fmt::format("{:<{}}", label, indent);
  std::size_t column = indent;
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!first && column + 1 + word.size() > kColumns) {
      out += fmt::format("\n{:<{}}", "", indent);
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  out += '\n';
}

}  // namespace

Wide worst_window_bound(const AnyPolicy& policy) {
  return std::visit([](const auto& made) { return bound_of(made); }, policy);
}

Explanation explain(const PolicySpec& spec, std::uint64_t keys) {
  Explanation made;
  made.name = spec.name;
  made.canonical = spec.canonical;
  made.keys = keys;
  std::visit(
      [&](const auto& policy) {
        made.capacity = policy.capacity();
        made.bytes_per_key = policy.bytes_per_key();
        add_sentences(policy, made);
      },
      spec.policy);
  made.worst_window = count_text(static_cast<Digits>(worst_window_bound(spec.policy)));
  made.total_bytes = count_text(static_cast<Digits>(made.bytes_per_key) * keys);
  return made;
}

std::string explanation_text(const Explanation& explanation) {
  constexpr std::size_t kIndent = 14;
  std::string out;
  if (!explanation.name.empty()) append_line(out, "name", kIndent, explanation.name);
  append_line(out, "canonical", kIndent, explanation.canonical);
  std::string_view topic;
  for (const Sentence& sentence : explanation.sentences) {
    append_line(out, sentence.topic == topic ? "" : sentence.topic, kIndent, sentence.text);
    topic = sentence.topic;
  }
  return out;
}

std::string explanation_json(const Explanation& explanation, const AnyPolicy& policy) {
  std::string out;
  JsonWriter json(out);
  json.open_object(JsonWriter::kLines);
  json.member("policy").text(explanation.name.empty() ? explanation.canonical : explanation.name);
  json.member("canonical").text(explanation.canonical);
  write_params(json, policy);
  json.member("worstWindowMax").raw(explanation.worst_window);
  json.member("bytesPerKey").count(static_cast<std::uint64_t>(explanation.bytes_per_key));
  json.member("keys").count(explanation.keys);
  json.member("totalBytes").raw(explanation.total_bytes);
  json.member("sentences").open_array(JsonWriter::kLines);
  for (const Sentence& sentence : explanation.sentences) {
    json.open_object(JsonWriter::kOneLine);
    json.member("topic").text(sentence.topic);
    json.member("text").text(sentence.text);
    json.close();
  }
  json.close().close();
  return out + '\n';
}

std::vector<PolicySummary> policy_summaries() {
  std::vector<PolicySummary> list;
  for_each_policy([&]<Policy P>() {
    PolicySummary summary{P::kName, {}, bytes_formula<P>(), About<P>::kState, About<P>::kPick};
    for (const Option option : P::kOptions) {
      summary.options.push_back({option_name(option), option_values(option)});
    }
    list.push_back(std::move(summary));
  });
  return list;
}

std::string policy_list_text() {
  std::string out;
  for (const PolicySummary& summary : policy_summaries()) {
    append_line(out, summary.name, 17, summary.pick);
    std::string options;
    for (const PolicySummary::Choice& choice : summary.options) {
      options += fmt::format("{}={} ", choice.option, choice.values);
    }
    options.pop_back();
    append_line(out, "", 17, options);
    append_line(out, "", 17,
                fmt::format("{} bytes a key: {}", summary.bytes_per_key, summary.state));
  }
  return out +
         "\nWrite algorithm:limit/window,option=value, such as sliding-counter:1k/1h,round=exact.\n"
         "Of an option's values the first is the default; capacity is the limit unless given.\n";
}

std::string policy_list_json() {
  std::string out;
  JsonWriter json(out);
  json.open_array(JsonWriter::kLines);
  for (const PolicySummary& summary : policy_summaries()) {
    json.open_object(JsonWriter::kLines);
    json.member("algorithm").text(summary.name);
    json.member("pick").text(summary.pick);
    json.member("bytesPerKey").text(summary.bytes_per_key);
    json.member("state").text(summary.state);
    json.member("options").open_object(JsonWriter::kLines);
    for (const PolicySummary::Choice& choice : summary.options) {
      json.member(choice.option).text(choice.values);
    }
    json.close().close();
  }
  json.close();
  return out + '\n';
}

}  // namespace ratereplay
