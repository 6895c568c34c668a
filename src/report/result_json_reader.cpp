// SPDX-License-Identifier: Apache-2.0
#include "report/result_json_reader.hpp"

#include <fmt/format.h>

#include <charconv>

#include "error.hpp"
#include "report/json.hpp"
#include "report/json_node.hpp"
#include "report/json_value.hpp"
#include "report/number_text.hpp"
#include "report/valid_utf8.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay {
namespace {

using Node = JsonNode;

std::string read_key(const Node& holder) {
  if (!holder.has("keyBase64")) return holder["key"].text_or_empty();
  const Node encoded = holder["keyBase64"];
  auto key = parse_base64(encoded.text());
  if (!key) encoded.fail("is not base64");
  return *std::move(key);
}

TraceFacts read_trace(const Node& node) {
  TraceFacts trace;
  trace.files = node["files"].each([](const Node& file) {
    return TraceFile{file["path"].text(), file["bytes"].count(), file["sha256"].text_or_empty(),
                     file["compression"].text_or_empty(), file["rows"].count()};
  });
  trace.format = node["format"].text();
  trace.format_detected = node["formatDetected"].boolean();
  const Node time = node["time"];
  trace.time_field = time["field"].text();
  trace.time_format = time["format"].text();
  trace.time_is = time["is"].text();
  trace.absolute = !time["zone"].null();
  if (trace.absolute) trace.zone = time["zone"].text();
  if (const Node resolution = time["resolutionMs"]; !resolution.null()) {
    trace.resolution = resolution.ms();
  }
  trace.order = time["order"].text();
  if (time.has("sharedStamps")) trace.shared_stamps = time["sharedStamps"].count();
  if (time.has("subsecond")) trace.subsecond = time["subsecond"].text();
  trace.key = node["key"].texts();
  if (const Node cost = node["cost"]; !cost.null()) trace.cost = cost.text();
  trace.rows = node["rows"].count();
  trace.requests = node["requests"].count();
  trace.bad = node["bad"].count();
  trace.filtered = node["filtered"].count();
  trace.keys = node["keys"].count();
  trace.missing_keys = node["missingKeys"].count();
  if (const Node share = node["sampledKeysPerMillion"]; !share.null()) {
    trace.sampled_keys_per_million = static_cast<std::uint32_t>(share.count());
  }
  trace.cost_total = node["costTotal"].count();
  trace.out_of_order = node["outOfOrder"].count();
  trace.max_back = node["maxBackMs"].ms();
  trace.first = node["firstMs"].at();
  trace.last = node["lastMs"].at();
  trace.peak_per_second = node["peakPerSecond"].count();
  trace.bad_kinds = node["badKinds"].each([](const Node& kind) {
    return BadKindCount{kind["kind"].text(), kind["count"].count(),
                        kind["first"].each([](const Node& place) {
                          return BadPlace{place["file"].text(), place["line"].count(),
                                          place["column"].count(), place["reason"].text()};
                        })};
  });
  return trace;
}

Distribution read_distribution(const Node& node) {
  Distribution waits;
  waits.count = node["count"].count();
  waits.min = node["min"].ms_or_zero();
  waits.p50 = node["p50"].ms_or_zero();
  waits.p90 = node["p90"].ms_or_zero();
  waits.p99 = node["p99"].ms_or_zero();
  waits.max = node["max"].ms_or_zero();
  const std::string& error = node["relativeError"].number();
  std::from_chars(error.data(), error.data() + error.size(), waits.relative_error);
  return waits;
}

MemoryUse read_memory(const Node& node) {
  MemoryUse memory;
  memory.bytes_per_key = node["bytesPerKey"].count();
  memory.reserved_bytes = node["reservedBytes"].digits();
  memory.live_peak_bytes = node["livePeakBytes"].digits();
  memory.live_peak_at = node["livePeakAtMs"].at();
  if (const Node projected = node["projected"]; !projected.null()) {
    memory.projected = Projection{projected["keys"].count(), projected["bytes"].digits()};
  }
  return memory;
}

Series read_series(const Node& node) {
  Series series{node["bucketMs"].ms(),     node["startMs"].at(),     node["offered"].counts(),
                node["admitted"].counts(), node["refused"].counts(), node["liveKeys"].counts(),
                node["liveBytes"].counts()};
  for (const auto* column :
       {&series.admitted, &series.refused, &series.live_keys, &series.live_bytes}) {
    const bool unknown =
        column->empty() && (column == &series.live_keys || column == &series.live_bytes);
    if (column->size() != series.offered.size() && !unknown) {
      node.fail("has columns of different lengths");
    }
  }
  return series;
}

AnyPolicy read_spec(const Node& node) {
  try {
    return parse_policy(node.text(), "spec").policy;
  } catch (const Error& error) {
    node.fail(fmt::format("is not a policy: {}", error.what()));
  }
}

PolicyResult read_policy(const Node& node) {
  const Node params = node["params"];
  const bool driver = params["algorithm"].text() == kDriverAlgorithm;
  PolicyResult policy{.name = node["name"].text_or_empty(),
                      .spec = node["spec"].text(),
                      .policy = read_spec(driver ? params["told"] : node["spec"]),
                      .driver = driver ? params["command"].text() : std::string()};
  policy.admitted = node["admitted"].count();
  policy.refused = node["refused"].count();
  policy.never = node["never"].count();
  policy.keys_refused = node["keysRefused"].count();
  policy.retry_after = read_distribution(node["retryAfterMs"]);
  if (const Node delay = node["delayMs"]; !delay.null()) policy.delay = read_distribution(delay);
  if (const Node queue = node["longestQueue"]; !queue.null()) policy.longest_queue = queue.count();
  const Node worst = node["worstWindow"];
  policy.worst = {worst["admitted"].count(), read_key(worst), Instant{worst["atMs"].ms_or_zero()}};
  const Node agreement = node["agreement"];
  policy.agreement = {agreement["agree"].count(), agreement["looser"].count(),
                      agreement["stricter"].count()};
  const Node memory = node["memory"];
  policy.memory = memory.null() ? std::nullopt : std::optional(read_memory(memory));
  policy.top_keys = node["topKeys"].each([](const Node& key) {
    return TopKey{read_key(key), key["requests"].count(), key["refused"].count(),
                  key["firstRefusedMs"].at()};
  });
  policy.series = read_series(node["series"]);
  policy.checks = node["checks"].each([](const Node& check) {
    const Node value = check["value"];
    return CheckResult{check["expr"].text(),
                       value.null() ? std::nullopt : std::optional(value.number()),
                       check["passed"].boolean()};
  });
  return policy;
}

double seconds(const Node& node) { return std::chrono::duration<double>(node.ms()).count(); }

}  // namespace

Result result_from_json(std::string_view text, const std::string& name) {
  const JsonValue document = parse_json(text, name);
  const JsonDocument described{name, "no result"};
  const Node root(document, described);
  if (const std::string& version = root["schemaVersion"].text(); version != kResultSchemaVersion) {
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' has schema version {}, and this program reads {}", name, version,
                            kResultSchemaVersion),
                {"draw it with the ratereplay that made it, or run the replay again"});
  }
  Result result;
  result.tool_version = root["tool"]["version"].text();
  result.command = root["command"].texts();
  result.trace = read_trace(root["trace"]);
  const TraceFacts& trace = result.trace;
  if (trace.requests > trace.rows || trace.bad > trace.rows - trace.requests ||
      trace.filtered != trace.rows - trace.requests - trace.bad) {
    root["trace"]["rows"].fail("is not requests + bad + filtered");
  }
  result.reference = root["reference"].text();
  result.tick = root["tickMs"].ms();
  result.policies = root["policies"].each([&](const Node& node) {
    PolicyResult policy = read_policy(node);
    if (policy.admitted + policy.refused != result.trace.requests) {
      node.fail("does not add up to trace.requests");
    }
    return policy;
  });
  if (root.has("stats")) {
    const Node stats = root["stats"];
    result.stats =
        RunStats{static_cast<unsigned>(stats["threads"].count()), seconds(stats["readMs"]),
                 seconds(stats["replayMs"]), stats["peakBytes"].count()};
  }
  // Whatever the document says beyond this, or says otherwise, would be lost without a word.
  const JsonValue again = parse_json(json_text(result), name);
  if (const auto path = first_difference(document, again)) {
    throw Error(
        ErrorKind::kInput,
        fmt::format("'{}' is no result: {} is unknown or contradicts the rest", name, *path));
  }
  return result;
}

Result read_result(const std::string& path) {
  return result_from_json(read_document(path, "{["), path);
}

}  // namespace ratereplay
