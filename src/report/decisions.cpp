// SPDX-License-Identifier: Apache-2.0
#include "report/decisions.hpp"

#include <cstring>
#include <string_view>
#include <vector>

#include "report/csv.hpp"
#include "report/json_writer.hpp"
#include "report/number_text.hpp"
#include "report/valid_utf8.hpp"
#include "text/utf8.hpp"

namespace ratereplay {
namespace {

void append_count(std::string& out, std::uint64_t value) {
  char buffer[kNumberBytes];
  out.append(buffer, write_count(buffer, value));
}

void append_ms(std::string& out, Instant instant) {
  char buffer[kNumberBytes];
  out.append(buffer, write_ms(buffer, instant.time_since_epoch().count()));
}

struct CsvShape {
  static constexpr std::string_view kHeader =
      "row,atMs,key,cost,policy,admitted,remaining,retryAfterMs,resetAtMs,fullAtMs,delayMs\n";
  static constexpr bool kKeepsPlace = true;  ///< a field that is not known leaves its comma
  static constexpr std::string_view kTrue = "true";
  static constexpr std::string_view kFalse = "false";
  static constexpr std::string_view kRemaining = ",";
  static constexpr std::string_view kRetryAfter = ",";
  static constexpr std::string_view kResetAt = ",";
  static constexpr std::string_view kFullAt = ",";
  static constexpr std::string_view kDelay = ",";
  static constexpr std::string_view kEnd = "\n";
  static constexpr std::string_view kNever = "never";
  static constexpr std::string_view kFull = "";

  static void append_request(std::string& out, const DecisionRow& row) {
    append_count(out, row.row);
    out += ',';
    append_ms(out, row.at);
    out += ',';
    append_csv_field(out, row.key);
    out += ',';
    append_count(out, row.cost);
    out += ',';
  }
  static std::string policy(std::string_view label) {
    std::string out;
    append_csv_field(out, label);
    return out += ',';
  }
};

struct JsonShape {
  static constexpr std::string_view kHeader = "";
  static constexpr bool kKeepsPlace = false;
  static constexpr std::string_view kTrue = "true";
  static constexpr std::string_view kFalse = "false";
  static constexpr std::string_view kRemaining = ",\"remaining\":";
  static constexpr std::string_view kRetryAfter = ",\"retryAfterMs\":";
  static constexpr std::string_view kResetAt = ",\"resetAtMs\":";
  static constexpr std::string_view kFullAt = ",\"fullAtMs\":";
  static constexpr std::string_view kDelay = ",\"delayMs\":";
  static constexpr std::string_view kEnd = "}\n";
  static constexpr std::string_view kNever = "null";
  static constexpr std::string_view kFull = "null";

  static void append_request(std::string& out, const DecisionRow& row) {
    out += "{\"row\":";
    append_count(out, row.row);
    out += ",\"atMs\":";
    append_ms(out, row.at);
    out += ",\"key\":";
    append_json_string(out, row.key);
    if (!is_utf8(row.key))
      out.append(",\"keyBase64\":\"").append(base64_text(row.key)).append("\"");
    out += ",\"cost\":";
    append_count(out, row.cost);
    out += ",\"policy\":";
  }
  static std::string policy(std::string_view label) {
    std::string out;
    append_json_string(out, label);
    return out += ",\"admitted\":";
  }
};

char* put(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

template <class Shape>
class DecisionText final : public DecisionSink {
 public:
  DecisionText(OutputFile& file, std::span<const std::string> labels)
      : file_(file), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {
    for (const std::string& label : labels) policies_.push_back(Shape::policy(label));
    file_.write(Shape::kHeader);
  }

  void write(std::span<const DecisionRow> rows) override {
    char* at = buffer_.get();
    char* const end = at + kBufferBytes;
    for (const DecisionRow& row : rows) {
      // The same request comes once per policy: its part of the line is made once.
      if (row.row != latest_row_ || request_.empty()) {
        request_.clear();
        Shape::append_request(request_, row);
        latest_row_ = row.row;
      }
      const std::string& policy = policies_[row.policy];
      const std::size_t bytes = request_.size() + policy.size() + kRestBytes;
      if (bytes > static_cast<std::size_t>(end - at)) at = hand_over(at);
      if (bytes > kBufferBytes) {
        file_.write(request_);
        file_.write(policy);
      } else {
        at = put(put(at, request_), policy);
      }
      at = row.untold.any() ? put_decision(at, row.decision, row.untold)
                            : put_decision(at, row.decision);
    }
    hand_over(at);
  }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 17;
  static constexpr std::size_t kRestBytes = 128 + 5 * kNumberBytes;  ///< all names and numbers

  char* hand_over(const char* end) {
    file_.write({buffer_.get(), end});
    return buffer_.get();
  }

  static char* put_decision(char* at, const Decision& decision) {
    at = put(at, decision.admitted() ? Shape::kTrue : Shape::kFalse);
    at = put_remaining(put(at, Shape::kRemaining), decision);
    at = put_retry_after(put(at, Shape::kRetryAfter), decision);
    at = put_reset_at(put(at, Shape::kResetAt), decision);
    at = put_full_at(put(at, Shape::kFullAt), decision);
    at = put_delay(put(at, Shape::kDelay), decision);
    return put(at, Shape::kEnd);
  }

  /// Without the fields that are not known.
  static char* put_decision(char* at, const Decision& decision, const Untold& untold) {
    const auto field = [&](bool absent, std::string_view name, auto put_value) {
      if (!absent) {
        at = put_value(put(at, name), decision);
      } else if (Shape::kKeepsPlace) {
        at = put(at, name);
      }
    };
    at = put(at, decision.admitted() ? Shape::kTrue : Shape::kFalse);
    field(untold.remaining, Shape::kRemaining, put_remaining);
    field(untold.retry_after, Shape::kRetryAfter, put_retry_after);
    field(untold.reset_at, Shape::kResetAt, put_reset_at);
    field(untold.full_at, Shape::kFullAt, put_full_at);
    field(untold.delay, Shape::kDelay, put_delay);
    return put(at, Shape::kEnd);
  }

  static char* put_remaining(char* at, const Decision& decision) {
    return write_count(at, static_cast<std::uint64_t>(decision.remaining));
  }
  static char* put_retry_after(char* at, const Decision& decision) {
    return decision.retry_after ? write_ms(at, decision.retry_after->count())
                                : put(at, Shape::kNever);
  }
  static char* put_reset_at(char* at, const Decision& decision) {
    return decision.reset_at ? write_ms(at, decision.reset_at->time_since_epoch().count())
                             : put(at, Shape::kFull);
  }
  static char* put_full_at(char* at, const Decision& decision) {
    return decision.reset_at ? write_ms(at, decision.full_at.time_since_epoch().count())
                             : put(at, Shape::kFull);
  }
  static char* put_delay(char* at, const Decision& decision) {
    return write_ms(at, decision.delay.count());
  }

  OutputFile& file_;
  std::vector<std::string> policies_;
  std::uint64_t latest_row_ = 0;
  std::string request_;  ///< the part of the latest request's line
  std::unique_ptr<char[]> buffer_;
};

}  // namespace

std::unique_ptr<DecisionSink> decisions_csv(OutputFile& file, std::span<const std::string> labels) {
  return std::make_unique<DecisionText<CsvShape>>(file, labels);
}

std::unique_ptr<DecisionSink> decisions_ndjson(OutputFile& file,
                                               std::span<const std::string> labels) {
  return std::make_unique<DecisionText<JsonShape>>(file, labels);
}

}  // namespace ratereplay
