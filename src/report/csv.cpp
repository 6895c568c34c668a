// SPDX-License-Identifier: Apache-2.0
#include "report/csv.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/number_text.hpp"
#include "report/valid_utf8.hpp"

namespace ratereplay {
namespace {

/// Printable ASCII that needs no quotes: what nearly every key is.
bool is_plain(std::string_view field) {
  unsigned special = 0;
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    special |= static_cast<unsigned>(byte - 0x20U > 0x5EU) | static_cast<unsigned>(c == '"') |
               static_cast<unsigned>(c == ',');
  }
  return special == 0;
}

/// One line: a value under each name. The first line of a document is made of the names alone.
class CsvLine {
 public:
  explicit CsvLine(bool header) : header_(header) {}

  CsvLine& text(std::string_view name, std::string_view value) {
    if (!line_.empty() || begun_) line_ += ',';
    begun_ = true;
    append_csv_field(line_, header_ ? name : value);
    return *this;
  }
  CsvLine& count(std::string_view name, std::uint64_t value) {
    return text(name, count_text(value));
  }
  CsvLine& ms(std::string_view name, std::optional<Duration> value) {
    return text(name, value ? ms_text(*value) : "");
  }
  CsvLine& ratio(std::string_view name, Ratio value) {
    return text(name, ratio_text(value).value_or(""));
  }

  [[nodiscard]] const std::string& line() { return line_ += '\n'; }

 private:
  bool header_;
  bool begun_ = false;
  std::string line_;
};

std::optional<Duration> value_of(const Distribution* waits, Duration Distribution::*value) {
  if (waits == nullptr || waits->count == 0) return std::nullopt;
  return waits->*value;
}

std::string policy_line(const PolicyResult& policy, const TraceFacts& trace, bool header) {
  CsvLine line(header);
  line.text("policy", policy.label()).text("spec", policy.spec);
  line.count("requests", trace.requests).count("keys", trace.keys);
  line.count("admitted", policy.admitted).count("refused", policy.refused);
  line.count("never", policy.never);
  line.ratio("refusedRatio", {policy.refused, policy.admitted + policy.refused});
  line.count("keysRefused", policy.keys_refused);
  line.ratio("keysRefusedRatio", {policy.keys_refused, trace.keys});
  const Distribution* waits = &policy.retry_after;
  line.ms("retryAfterMinMs", value_of(waits, &Distribution::min));
  line.ms("retryAfterP50Ms", value_of(waits, &Distribution::p50));
  line.ms("retryAfterP90Ms", value_of(waits, &Distribution::p90));
  line.ms("retryAfterP99Ms", value_of(waits, &Distribution::p99));
  line.ms("retryAfterMaxMs", value_of(waits, &Distribution::max));
  const Distribution* delays = policy.delay ? &*policy.delay : nullptr;
  line.ms("delayP50Ms", value_of(delays, &Distribution::p50));
  line.ms("delayP90Ms", value_of(delays, &Distribution::p90));
  line.ms("delayP99Ms", value_of(delays, &Distribution::p99));
  line.ms("delayMaxMs", value_of(delays, &Distribution::max));
  line.text("longestQueue", policy.longest_queue ? count_text(*policy.longest_queue) : "");
  const bool any = policy.worst.admitted != 0;
  line.count("worstWindowAdmitted", policy.worst.admitted);
  line.text("worstWindowKey", any ? policy.worst.key : "");
  line.text("worstWindowAtMs", any ? ms_text(policy.worst.at) : "");
  line.count("agree", policy.agreement.agree).count("looser", policy.agreement.looser);
  line.count("stricter", policy.agreement.stricter);
  const std::optional<MemoryUse>& memory = policy.memory;
  line.text("bytesPerKey", memory ? count_text(memory->bytes_per_key) : "");
  line.text("reservedBytes", memory ? memory->reserved_bytes : "");
  line.text("livePeakBytes", memory ? memory->live_peak_bytes : "");
  line.text("livePeakAtMs", memory ? ms_text(memory->live_peak_at) : "");
  const bool projected = memory && memory->projected;
  line.text("projectedKeys", projected ? count_text(memory->projected->keys) : "");
  line.text("projectedBytes", projected ? memory->projected->bytes : "");
  return line.line();
}

}  // namespace

void append_csv_field(std::string& out, std::string_view field) {
  if (is_plain(field)) {
    out += field;
    return;
  }
  if (field.find_first_of(",\"\r\n") == field.npos) return append_valid_utf8(out, field);
  append_quoted(out, valid_utf8(field));
}

void append_quoted(std::string& out, std::string_view bytes) {
  out += '"';
  for (const char c : bytes) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string csv_text(const Result& result) {
  if (result.policies.empty()) return {};
  std::string out = policy_line(result.policies.front(), result.trace, true);
  for (const PolicyResult& policy : result.policies) {
    out += policy_line(policy, result.trace, false);
  }
  return out;
}

std::string series_csv_text(const Result& result) {
  std::string out = "bucketMs,startMs,policy,offered,admitted,refused,liveKeys,liveBytes\n";
  std::vector<std::string> labels;
  std::size_t buckets = 0;
  for (const PolicyResult& policy : result.policies) {
    append_csv_field(labels.emplace_back(), policy.label());
    buckets = std::max(buckets, policy.series.offered.size());
  }
  for (std::size_t i = 0; i < buckets; ++i) {
    for (std::size_t p = 0; p < labels.size(); ++p) {
      const Series& series = result.policies[p].series;
      if (i >= series.offered.size()) continue;
      const Instant start = series.start + series.bucket * static_cast<std::int64_t>(i);
      out.append(ms_text(series.bucket)).append(",").append(ms_text(start)).append(",");
      out += labels[p];
      for (const auto* column : {&series.offered, &series.admitted, &series.refused,
                                 &series.live_keys, &series.live_bytes}) {
        std::array<char, kNumberBytes> buffer;
        out += ',';
        if (column->empty()) continue;
        out.append(buffer.data(), write_count(buffer.data(), (*column)[i]));
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace ratereplay
