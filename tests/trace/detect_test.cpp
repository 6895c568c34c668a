// SPDX-License-Identifier: Apache-2.0
#include "trace/detect.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "block_rows.hpp"
#include "trace/formats.hpp"

using namespace ratereplay;

namespace {

bool has_format(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name() == name) return true;
  }
  return false;
}

/// Format, time, time format, key and cost as chosen; or what was said instead.
std::string chosen(std::string_view text, const ReadFlags& flags = {}) {
  const PaddedText padded(text);
  try {
    const ReadPlan plan = make_plan({padded.text(), true}, "sample", flags);
    std::string keys;
    for (const KeyPart& part : plan.key) {
      keys += (keys.empty() ? "" : "|") + part.shown + (part.shape.role == KeyRole::kIp ? "!" : "");
    }
    return std::string(plan.format->name()) + " " + plan.time_field + " " +
           plan.time_format.name() + " " + (keys.empty() ? "none" : keys) +
           (plan.cost.empty() ? "" : " " + plan.cost_field);
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::kUsage ? "usage: " : "input: ") + error.diagnostic().message;
  }
}

ReadFlags flags_of(std::vector<std::string> keys, std::optional<std::string> time = {},
                   std::optional<std::string> cost = {}) {
  ReadFlags flags;
  flags.keys = std::move(keys);
  flags.time_field = std::move(time);
  flags.cost_field = std::move(cost);
  return flags;
}

struct Row {
  std::string text;
  std::string expected;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(chosen(row.text) == row.expected);
  }
}

}  // namespace

TEST_CASE("detect: time of a table by name and content") {
  if (!has_format("csv")) return;
  check_rows({
      {"timestamp,user\n2026-01-02T03:04:05Z,a\n", "csv timestamp iso user"},
      {"TIMESTAMP,a\n2023-11-16 18:17:03.9799600,1\n", "csv TIMESTAMP iso none"},
      // the first of the names whose values are instants
      {"time,exchange_time,p\n0,2023-12-29 16:00:00.0,x\n90000,2024-01-02 09:00:00.5,x\n",
       "csv exchange_time iso none"},
      {"ts,timestamp,key\n1583916406,x,a\n1583916407,y,b\n", "csv ts epoch-s key"},
      // numbers by their size
      {"ts,key\n1609009529084,a\n1609009527013,b\n", "csv ts epoch-ms key"},
      {"ts,key\n\"1435673425692000\",192.0.2.9\n", "csv ts epoch-us key"},
      {"ts,key\n1498098819810694666,a\n", "csv ts epoch-ns key"},
      {"ts,key\n12,a\n13,b\n", "csv ts relative-ms key"},
      {"ts,key\n0.5,a\n0.75,b\n", "csv ts relative-s key"},
      {"arrived_at,tokens\n0.0,4808\n0.052,3180\n0.098189,110\n", "csv arrived_at relative-s none"},
      {"start_ns,key\n5,a\n6,b\n", "csv start_ns relative-ns key"},
      // a date and a time of day; a duration is no arrival
      {"date,time,ip\n2015-01-13,00:32:17,192.0.2.1\n", "csv date+time iso ip"},
      {"request_time,logged_at,ip\n0.005,2026-01-02T03:04:05Z,192.0.2.1\n", "csv logged_at iso ip"},
      // other styles
      {"when,date,ip\nx,\"Sat, 22 Apr 2017 15:11:58 -0500\",192.0.2.1\n", "csv date rfc2822 ip"},
      {"id;time;v\n1;17/May/2015:10:05:03 +0000;2\n", "csv time clf none"},
      // no name that says so
      {"id,seen,ip\n1,2026-01-02T03:04:05Z,192.0.2.1\n", "csv seen iso ip"},
      // cost
      {"ts,key,cost\n1583916406,a,3\n", "csv ts epoch-s key cost"},
      {"ts,key,costs\n1583916406,a,3\n", "csv ts epoch-s key"},
      // keys and ports
      {"ts,remote_addr\n1583916406,192.0.2.1:1000\n1583916406,192.0.2.1:1001\n",
       "csv ts epoch-s ip!"},
      {"ts,host,user_id\n1583916406,h,u\n", "csv ts epoch-s user_id"},
  });
}

TEST_CASE("detect: the start of a request goes before its end") {
  if (!has_format("csv")) return;
  check_rows({
      {"time,StartUTC,ClientHost\n"
       "2021-12-08T14:02:43Z,2021-12-08T14:02:43.464763557Z,192.0.2.1\n",
       "csv StartUTC iso ClientHost"},
      {"EdgeEndTimestamp,EdgeStartTimestamp,ClientIP\n"
       "2022-10-30T00:00:02Z,2022-10-30T00:00:02Z,192.0.2.1\n",
       "csv EdgeStartTimestamp iso ClientIP"},
      // creation before what comes later, however far that is
      {"updated_at,created_at\n2026-01-02T03:04:05Z,2025-01-02T03:04:05Z\n",
       "csv created_at iso none"},
      {"finished_at,created_at\n2026-01-02T03:04:05Z,2026-01-02T03:04:04Z\n",
       "csv created_at iso none"},
      {"ended_at,started_at\n2026-01-02T03:04:05Z,2026-01-01T03:04:04Z\n",
       "csv started_at iso none"},
      {"expires_at,logged_at\n2027-01-02T03:04:05Z,2026-01-02T03:04:04Z\n",
       "csv logged_at iso none"},
      {"end_time,created_at\n1767323055,1767323045\n", "csv created_at epoch-s none"},
      {"updatedAt,createdAt\n1767323055,1767323045\n", "csv createdAt epoch-s none"},
      {"updated_at,k\n2026-01-02T03:04:05Z,a\n", "csv updated_at iso none"},
      // a start that is far away is of something else
      {"time,start_of_contract,user\n2021-12-08T14:02:43Z,2001-12-08T14:02:43Z,a\n",
       "csv time iso user"},
  });
}

TEST_CASE("detect: a duration is no time") {
  check_rows({
      {"created,time_taken,ip\n2026-01-02T03:04:05Z,12,192.0.2.1\n"
       "2026-01-02T03:04:06Z,12,192.0.2.1\n",
       "csv created iso ip"},
      {"seen,time_spent,ip\n2026-01-02T03:04:05Z,12,192.0.2.1\n"
       "2026-01-02T03:04:06Z,13,192.0.2.1\n",
       "csv seen iso ip"},
      {"created,ip\n1767323045,192.0.2.1\n", "csv created epoch-s ip"},
      {"relative_unix\tsize\ttime_firstbyte\n0\t13\t0.0002\n0\t15\t0.0003\n1\t9\t0.0004\n",
       "tsv relative_unix relative-s none"},
      // an instant in it is one
      {"request_time,ip\n2026-01-02T03:04:05Z,192.0.2.1\n", "csv request_time iso ip"},
      {"request_time,ip\n1767323045,192.0.2.1\n1767323046,192.0.2.1\n",
       "csv request_time epoch-s ip"},
  });
  for (const std::string name :
       {"time_taken", "time_firstbyte", "duration_time", "request_time", "response_time",
        "responsetime", "time-taken", "request_processing_time", "TimeTaken"}) {
    CAPTURE(name);
    for (const std::string number : {"12", "0.5", "123456789"}) {
      const std::string row = ",2026-01-02T03:04:05Z,192.0.2.1\n";
      const PaddedText padded(name + ",seen,ip\n" + number + row + number + row);
      const ReadPlan plan = make_plan({padded.text(), true}, "sample", {});
      CHECK(plan.time_field == "seen");
      CHECK(plan.notes.at(0).advice.size() == 1);
      CHECK(chosen(name + ",ip\n" + number + ",192.0.2.1\n" + number + ",192.0.2.2\n") ==
            "input: no time found in sample (read as csv)");
    }
  }
}

TEST_CASE("detect: numbers of seconds may have blanks around them, or a sign") {
  check_rows({
      {"key, ts\na, 1767323045\n", "csv ts epoch-s key"},
      {"ts,key\n\"1767323045 \",a\n", "csv ts epoch-s key"},
      {"ts,key\n+1767323045,a\n", "csv ts epoch-s key"},
      {"1767323045  ,a\n1767323046  ,b\n", "csv 1 epoch-s none"},
      {"{\"ts\":\" 1767323045\",\"key\":\"a\"}\n", "ndjson ts epoch-s key"},
      {"ts,key\n 20260102030405 ,a\n", "csv ts %Y%m%d%H%M%S key"},
  });
}

TEST_CASE("detect: columns without names") {
  if (!has_format("csv")) return;
  check_rows({
      {"MISS,200,1609009529084,192.0.2.1\nHIT,200,1609009527013,192.0.2.2\n", "csv 3 epoch-ms 4"},
      {"\"1435673425692000\",\"192.0.2.9\"\n\"1435673425692001\",\"192.0.2.9\"\n",
       "csv 1 epoch-us 2"},
      {"0.5,a\n0.75,b\n1.5,c\n", "csv 1 relative-s none"},
      {"0,0.5,a\n0,0.75,b\n0,1.5,c\n", "csv 2 relative-s none"},
      {"0,7,a\n0,9,b\n0,17,c\n", "input: no time found in sample (read as csv)"},
      {"1,a\n2,b\n3,c\n", "input: no time found in sample (read as csv)"},
  });
}

TEST_CASE("detect: without a time the message says what was looked at") {
  if (!has_format("csv")) return;
  check_rows({
      {"date,name\n2021-12-08,a\n", "input: no time found in sample (read as csv)"},
      {"id,name\n1,a\n", "input: no time found in sample (read as csv)"},
      {"time,name\n", "input: no request in sample: only a header"},
      {"", "input: no request in sample: it is empty"},
      {"\n\n", "input: no request in sample: it is empty"},
      {"\xEF\xBB\xBF", "input: no request in sample: it is empty"},
  });
  const PaddedText padded("date,name\n2021-12-08,a\n");
  try {
    (void)make_plan({padded.text(), true}, "sample", {});
    FAIL("found a time");
  } catch (const Error& error) {
    CHECK(error.diagnostic().advice ==
          std::vector<std::string>{"field 'date': a date without a time of day ('2021-12-08')",
                                   "name it with --time-field and, if need be, --time-format",
                                   "fields: date, name"});
  }
}

TEST_CASE("detect: where no row can be read, the message says what is wrong with the first") {
  check_rows({
      {"time,key\n2026-01-02 03:04:05,123,a\n2026-01-02 03:04:06,123,b\n",
       "input: no request in sample: none of its 2 rows could be read"},
      {"time,key\n", "input: no request in sample: only a header"},
  });
  const auto advice = [](std::string_view text, const char* format) {
    ReadFlags flags;
    if (format != nullptr) flags.format = format;
    const PaddedText padded(text);
    try {
      (void)make_plan({padded.text(), true}, "sample", flags);
    } catch (const Error& error) {
      return error.diagnostic().advice.front();
    }
    return std::string("a plan");
  };
  CHECK(advice("time,key\n# x\n2026-01-02 03:04:05,123,a\n", nullptr) ==
        "the first is at 3:25, columns: 3 fields where the header has 2");
  CHECK(advice("http 2026\n", "alb").starts_with("the first is at 1:"));
}

TEST_CASE("detect: a date alone is named as such, whatever its field is called") {
  const PaddedText padded("Naam;Gewenste uitvoerdatum\nx;2023-01-01\n");
  try {
    (void)make_plan({padded.text(), true}, "sample", {});
    FAIL("found a time");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    CHECK(error.diagnostic().advice.front() ==
          "field 'Gewenste uitvoerdatum': a date without a time of day ('2023-01-01')");
  }
}

TEST_CASE("detect: flags pin fields by name, number and role") {
  if (!has_format("csv")) return;
  const std::string text =
      "sent,remote_addr,url,a+b,a,b,t2\n1583916406,192.0.2.1:99,/x,1,2,3,2026-01-02 03:04:05\n";
  const auto pinned = [&](const ReadFlags& flags) { return chosen(text, flags); };
  CHECK(pinned(flags_of({"remote_addr"}, "sent")) == "csv sent epoch-s remote_addr");
  CHECK(pinned(flags_of({"2"}, "1")) == "csv sent epoch-s remote_addr");
  CHECK(pinned(flags_of({"ip", "path"}, "sent")) == "csv sent epoch-s ip!|path");
  CHECK(pinned(flags_of({"none"}, "t2")) == "csv t2 iso none");
  CHECK(pinned(flags_of({"none"}, "t2", "a")) == "csv t2 iso none a");
  // a field of that very name wins over the sum
  CHECK(pinned(flags_of({"none"}, "t2", "a+b")) == "csv t2 iso none a+b");
  const PaddedText padded(text);
  CHECK(make_plan({padded.text(), true}, "x", flags_of({"none"}, "t2", "a+b")).cost.size() == 1);
  CHECK(make_plan({padded.text(), true}, "x", flags_of({"none"}, "t2", "b+a")).cost.size() == 2);
  CHECK(pinned(flags_of({"usr"}, "sent")) == "usage: -k usr: sample has no such field");
  CHECK(pinned(flags_of({"9"}, "sent")) == "usage: -k 9: sample has no such field");
  CHECK(pinned(flags_of({"none"}, "snt")) == "usage: --time-field snt: sample has no such field");
  CHECK(pinned(flags_of({"none"}, "sent", "a+c")) ==
        "usage: --cost-field c: sample has no such field");
  CHECK(pinned(flags_of({"none"}, "url")) ==
        "input: field 'url' of sample holds no time: no time that is known ('/x')");
  ReadFlags flags;
  flags.format = "cvs";
  CHECK(chosen(text, flags) == "usage: -F cvs: no such format");
  flags.format = "csv";
  flags.time_format = "%Y-%m-%d %T";
  CHECK(chosen(text, flags) == "csv t2 %Y-%m-%d %T ip!");
}

TEST_CASE("detect: what a plan says pins the same plan") {
  const std::vector<std::string> texts = {
      "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n",
  };
  for (const std::string& text : texts) {
    const PaddedText padded(text);
    const ReadPlan plan = make_plan({padded.text(), true}, "sample", {});
    CHECK(pin_flags(plan) == "-F combined --time-field time --time-format clf -k ip");
    REQUIRE(plan.notes.size() == 1);
    CHECK(plan.notes[0].message == "sample is read as combined: time time (clf), key ip, cost 1");
    ReadFlags flags = flags_of({"ip"}, "time");
    flags.format = "combined";
    flags.time_format = "clf";
    CHECK(make_plan({padded.text(), true}, "sample", flags).notes.empty());
  }
}

TEST_CASE("detect: content that is not read yet is called by its name") {
  check_rows({
      {std::string("PK\x03\x04"),
       "input: sample looks like a zip archive; that format is not read yet"},
      {std::string("\0\1\2\3\0", 5) + "x", "input: sample is binary, not a log of text"},
      {"<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n",
       "input: sample looks like a JMeter result file in XML (write them as CSV); that format is "
       "not "
       "read yet"},
      {"\x01\x02\x03\x04", "input: sample is binary, not a log of text"},
      {std::string(100, '\0'), "input: sample is binary, not a log of text"},
      {std::string("ts,key\n1767323045,a\0b", 21), "csv ts epoch-s key"},
  });
}

TEST_CASE("detect: lines that end in CR alone are refused, not read as one") {
  const std::string said = "input: sample: its lines end in CR alone, not in LF or CR LF";
  const std::string line =
      "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\r";
  check_rows({
      {line + line, said},
      {line + line + "\n", said},
      {"ts,key\r1767323045,a\r", said},
      {line, "combined time clf ip!"},
      {"ts,key\r\n1767323045,a\r\n", "csv ts epoch-s key"},
      {"[\r{\"ts\":1767323045,\"key\":\"a\"},\r{\"ts\":1767323046,\"key\":\"a\"}]\r",
       "json ts epoch-s key"},
  });
}

TEST_CASE("detect: published traces are read as what they are") {
  struct File {
    std::string name;
    std::string needs;  // a format
    std::string expected;
  };
  const std::vector<File> files = {
      {"apache_combined_blog_2015.log", "combined", "combined time clf ip!"},
      {"nginx_burst_switching_ua.log", "combined", "combined time clf ip!"},
      {"bad_access_log.log", "combined", "combined time clf ip!"},
      {"apache_malformed_requests.log", "combined", "combined time clf ip!"},
      {"traefik_scan.json", "ndjson", "ndjson StartUTC iso ClientHost"},
      {"caddy_access.json", "ndjson", "ndjson ts epoch-s request.client_ip"},
      {"nginx_plus_status_epochms.ndjson", "ndjson", "ndjson timestamp epoch-ms none"},
      {"cloudflare_logpush_rfc3339.json", "ndjson", "ndjson EdgeStartTimestamp iso ClientIP"},
      {"mooncake_synthetic.jsonl", "ndjson", "ndjson timestamp relative-ms none"},
      {"ndjson_unterminated.ndjson", "ndjson", "input: no time found in sample (read as ndjson)"},
      {"azure_llm_2023_code.csv", "csv", "csv TIMESTAMP iso none"},
      {"splitwise_code_relative.csv", "csv", "csv arrived_at relative-s none"},
      {"futures_ticks_bom.csv", "csv", "csv exchange_time iso none"},
      {"timestamps_mixed_offsets.csv", "csv", "csv time iso none"},
      {"bank_semicolon_decimalcomma.csv", "csv", "input: no time found in sample (read as csv)"},
      {"tweet_quoted_newlines.csv", "csv", "input: sample is of no known format"},
      {"iis_w3c_2015.log", "w3c", "w3c date+time iso ip!"},
      {"envoy_crawl_k8s_cri.log", "ndjson", "cri+ndjson start_time iso ip!"},
      {"aws_alb.log", "alb", "alb time iso ip!"},
      {"aws_s3_access.log", "s3", "s3 time clf ip!"},
      {"aws_cloudfront_33fields.log.gz", "", "input: sample is binary, not a log of text"},
      {"zeek_http.tsv", "zeek", "zeek ts epoch-s ip!"},
  };
  for (const File& file : files) {
    if (!file.needs.empty() && !has_format(file.needs)) continue;
    const auto text = shared_trace(file.name);
    if (!text) {
      MESSAGE("skipped: no ", file.name);
      continue;
    }
    CAPTURE(file.name);
    CHECK(chosen(text->substr(0, std::size_t{256} << 10)) == file.expected);
  }
}

TEST_CASE("detect: arbitrary bytes end in a plan or a message") {
  std::mt19937_64 random(3);
  const std::string letters = "0123456789,;|\t\n\r\"'{}[]:-/ TZabc\\.eE";
  for (int round = 0; round < 3'000; ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text) {
      c = random() % 50 == 0 ? static_cast<char>(random()) : letters[random() % letters.size()];
    }
    CAPTURE(text);
    CHECK_FALSE(chosen(text).empty());
  }
}
