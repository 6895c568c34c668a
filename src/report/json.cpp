// SPDX-License-Identifier: Apache-2.0
#include "report/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "report/json_writer.hpp"
#include "report/number_text.hpp"
#include "report/params.hpp"
#include "report/valid_utf8.hpp"
#include "spec/policy_spec.hpp"
#include "text/utf8.hpp"

namespace ratereplay {
namespace {

constexpr auto kLines = JsonWriter::kLines;
constexpr auto kOneLine = JsonWriter::kOneLine;

void write_counts(JsonWriter& json, std::string_view name,
                  const std::vector<std::uint64_t>& values) {
  json.member(name).open_array(kOneLine);
  for (const std::uint64_t value : values) json.count(value);
  json.close();
}

void write_file(JsonWriter& json, const TraceFile& file) {
  json.open_object(kOneLine);
  json.member("path").text(file.path);
  json.member("bytes").count(file.bytes);
  json.member("sha256");
  file.sha256.empty() ? json.null() : json.text(file.sha256);
  json.member("compression");
  file.compression.empty() ? json.null() : json.text(file.compression);
  json.member("rows").count(file.rows);
  json.close();
}

void write_bad_kind(JsonWriter& json, const BadKindCount& kind) {
  json.open_object(kLines);
  json.member("kind").text(kind.kind);
  json.member("count").count(kind.count);
  json.member("first").open_array(kLines);
  for (const BadPlace& place : kind.first) {
    json.open_object(kOneLine);
    json.member("file").text(place.file);
    json.member("line").count(place.line);
    json.member("column").count(place.column);
    json.member("reason").text(place.reason);
    json.close();
  }
  json.close().close();
}

void write_time(JsonWriter& json, const TraceFacts& trace) {
  json.member("time").open_object(kOneLine);
  json.member("field").text(trace.time_field);
  json.member("format").text(trace.time_format);
  json.member("is").text(trace.time_is);
  json.member("zone");
  trace.absolute ? json.text(trace.zone) : json.null();
  json.member("resolutionMs");
  trace.resolution ? json.ms(*trace.resolution) : json.null();
  json.member("order").text(trace.order);
  json.member("sharedStamps").count(trace.shared_stamps);
  json.member("subsecond").text(trace.subsecond);
  json.close();
}

void write_ratio(JsonWriter& json, std::string_view name, Ratio ratio) {
  json.member(name).raw(ratio_text(ratio).value_or("null"));
}

/// An error as a plain decimal: 0, 0.01.
std::string fraction_text(double fraction) {
  const auto millionths = static_cast<std::uint64_t>(std::llround(fraction * 1e6));
  std::string text = *ratio_text({millionths, 1'000'000}, 6);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

void write_distribution(JsonWriter& json, const Distribution& waits) {
  json.open_object(kOneLine);
  json.member("count").count(waits.count);
  const auto value = [&](std::string_view name, Duration wait) {
    json.member(name);
    waits.count == 0 ? json.null() : json.ms(wait);
  };
  value("min", waits.min);
  value("p50", waits.p50);
  value("p90", waits.p90);
  value("p99", waits.p99);
  value("max", waits.max);
  json.member("relativeError").raw(fraction_text(waits.relative_error));
  json.close();
}

void write_worst(JsonWriter& json, const WorstWindow& worst) {
  json.member("worstWindow").open_object(kOneLine);
  json.member("admitted").count(worst.admitted);
  if (worst.admitted == 0) {
    json.member("key").null().member("atMs").null();
  } else {
    write_key(json, worst.key);
    json.member("atMs").ms(worst.at);
  }
  json.close();
}

void write_memory(JsonWriter& json, const std::optional<MemoryUse>& use) {
  json.member("memory");
  if (!use) {
    json.null();
    return;
  }
  const MemoryUse& memory = *use;
  json.open_object(kOneLine);
  json.member("bytesPerKey").count(memory.bytes_per_key);
  json.member("reservedBytes").raw(memory.reserved_bytes);
  json.member("livePeakBytes").raw(memory.live_peak_bytes);
  json.member("livePeakAtMs").ms(memory.live_peak_at);
  json.member("projected");
  if (memory.projected) {
    json.open_object(kOneLine);
    json.member("keys").count(memory.projected->keys);
    json.member("bytes").raw(memory.projected->bytes);
    json.close();
  } else {
    json.null();
  }
  json.close();
}

void write_series(JsonWriter& json, const Series& series) {
  json.member("series").open_object(kLines);
  json.member("bucketMs").ms(series.bucket);
  json.member("startMs").ms(series.start);
  write_counts(json, "offered", series.offered);
  write_counts(json, "admitted", series.admitted);
  write_counts(json, "refused", series.refused);
  write_counts(json, "liveKeys", series.live_keys);
  write_counts(json, "liveBytes", series.live_bytes);
  json.close();
}

void write_top_keys(JsonWriter& json, const std::vector<TopKey>& keys) {
  json.member("topKeys").open_array(kLines);
  for (const TopKey& key : keys) {
    json.open_object(kOneLine);
    write_key(json, key.key);
    json.member("requests").count(key.requests);
    json.member("refused").count(key.refused);
    json.member("firstRefusedMs").ms(key.first_refused);
    json.close();
  }
  json.close();
}

void write_checks(JsonWriter& json, const std::vector<CheckResult>& checks) {
  json.member("checks").open_array(kLines);
  for (const CheckResult& check : checks) {
    json.open_object(kOneLine);
    json.member("expr").text(check.expression);
    json.member("value").raw(check.value.value_or("null"));
    json.member("passed").boolean(check.passed);
    json.close();
  }
  json.close();
}

void write_policy(JsonWriter& json, const PolicyResult& policy, const TraceFacts& trace) {
  json.open_object(kLines);
  json.member("name");
  policy.name.empty() ? json.null() : json.text(policy.name);
  json.member("spec").text(policy.spec);
  if (policy.driver.empty()) {
    write_params(json, policy.policy);
  } else {
    json.member("params").open_object(kOneLine);
    json.member("algorithm").text(kDriverAlgorithm).member("command").text(policy.driver);
    json.member("told").text(canonical_text(policy.policy)).close();
  }
  json.member("admitted").count(policy.admitted);
  json.member("refused").count(policy.refused);
  json.member("never").count(policy.never);
  write_ratio(json, "refusedRatio", {policy.refused, policy.admitted + policy.refused});
  json.member("keysRefused").count(policy.keys_refused);
  write_ratio(json, "keysRefusedRatio", {policy.keys_refused, trace.keys});
  json.member("retryAfterMs");
  write_distribution(json, policy.retry_after);
  json.member("delayMs");
  policy.delay ? write_distribution(json, *policy.delay) : void(json.null());
  json.member("longestQueue");
  policy.longest_queue ? json.count(*policy.longest_queue) : json.null();
  write_worst(json, policy.worst);
  json.member("agreement").open_object(kOneLine);
  json.member("agree").count(policy.agreement.agree);
  json.member("looser").count(policy.agreement.looser);
  json.member("stricter").count(policy.agreement.stricter);
  json.close();
  write_memory(json, policy.memory);
  write_top_keys(json, policy.top_keys);
  write_series(json, policy.series);
  write_checks(json, policy.checks);
  json.close();
}

void write_stats(JsonWriter& json, const RunStats& stats) {
  const auto ms = [](double seconds) {
    return std::chrono::microseconds(std::llround(seconds * 1e6));
  };
  json.member("stats").open_object(kOneLine);
  json.member("threads").count(stats.threads);
  json.member("readMs").ms(ms(stats.seconds_read));
  json.member("replayMs").ms(ms(stats.seconds_replay));
  json.member("peakBytes").count(stats.peak_bytes);
  json.close();
}

}  // namespace

void write_key(JsonWriter& json, std::string_view key) {
  json.member("key").text(key);
  if (!is_utf8(key)) json.member("keyBase64").text(base64_text(key));
}

void write_trace_members(JsonWriter& json, const TraceFacts& trace) {
  json.member("files").open_array(kLines);
  for (const TraceFile& file : trace.files) write_file(json, file);
  json.close();
  json.member("format").text(trace.format);
  json.member("formatDetected").boolean(trace.format_detected);
  write_time(json, trace);
  json.member("key").open_array(kOneLine);
  for (const std::string& field : trace.key) json.text(field);
  json.close();
  json.member("cost");
  trace.cost ? json.text(*trace.cost) : json.null();
  json.member("rows").count(trace.rows);
  json.member("requests").count(trace.requests);
  json.member("bad").count(trace.bad);
  json.member("filtered").count(trace.filtered);
  json.member("keys").count(trace.keys);
  json.member("missingKeys").count(trace.missing_keys);
  json.member("sampledKeysPerMillion");
  trace.sampled_keys_per_million ? json.count(*trace.sampled_keys_per_million) : json.null();
  json.member("costTotal").count(trace.cost_total);
  json.member("outOfOrder").count(trace.out_of_order);
  json.member("maxBackMs").ms(trace.max_back);
  json.member("firstMs").ms(trace.first);
  json.member("lastMs").ms(trace.last);
  json.member("peakPerSecond").count(trace.peak_per_second);
  json.member("badKinds").open_array(kLines);
  for (const BadKindCount& kind : trace.bad_kinds) write_bad_kind(json, kind);
  json.close();
}

std::string json_text(const Result& result) {
  std::string out;
  JsonWriter json(out);
  json.open_object(kLines);
  json.member("schemaVersion").text(kResultSchemaVersion);
  json.member("tool").open_object(kOneLine);
  json.member("name").text("ratereplay").member("version");
  json.text(result.tool_version.empty() ? RATEREPLAY_VERSION : result.tool_version).close();
  json.member("command").open_array(kOneLine);
  for (const std::string& argument : result.command) json.text(argument);
  json.close();
  json.member("trace").open_object(kLines);
  write_trace_members(json, result.trace);
  json.close();
  json.member("reference").text(result.reference);
  json.member("tickMs").ms(result.tick);
  json.member("policies").open_array(kLines);
  for (const PolicyResult& policy : result.policies) write_policy(json, policy, result.trace);
  json.close();
  if (result.stats) write_stats(json, *result.stats);
  json.close();
  out += '\n';
  return out;
}

}  // namespace ratereplay
