// SPDX-License-Identifier: Apache-2.0
#include "trace/row_filter.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "keys/key.hpp"
#include "keys/trace_store.hpp"
#include "run_program.hpp"
#include "trace/decimal.hpp"
#include "trace/read_text.hpp"

using namespace ratereplay;

namespace {

struct Written {
  const char* name;
  std::string text;
};

/// The same six requests in three formats; the fourth has no user, the last no number as status.
std::vector<Written> samples() {
  const std::array<std::array<const char*, 5>, 6> rows = {
      {{"10", "192.0.2.1", "ann", "/a?x=1", "200"},
       {"11", "192.0.2.2", "bob", "/b", "429"},
       {"12", "192.0.2.1", "ann", "/login", "404"},
       {"13", "192.0.2.3", "-", "/a", "503"},
       {"14", "192.0.2.1", "ann", "/a/b", "200"},
       {"15", "192.0.2.2", "bob", "/c", "-"}}};
  std::string csv = "time,ip,user,uri,status\n";
  std::string json;
  std::string combined;
  for (const auto& [second, ip, user, path, status] : rows) {
    const std::string time = fmt::format("2026-01-02T03:04:{}Z", second);
    csv += fmt::format("{},{},{},{},{}\n", time, ip, user, path, status);
    json += fmt::format(R"({{"time":"{}","ip":"{}","user":"{}","uri":"{}","status":"{}"}})", time,
                        ip, user, path, status) +
            '\n';
    combined +=
        fmt::format("{} - {} [02/Jan/2026:03:04:{} +0000] \"GET {} HTTP/1.1\" {} 5 \"-\" \"x\"\n",
                    ip, user, second, path, status);
  }
  return {{"csv", csv}, {"ndjson", json}, {"combined", combined}};
}

/// The numbers of the rows that are kept.
std::string kept(const testing::ReadResult& read) {
  std::string rows;
  for (const testing::ReadRow& row : read.requests) rows += std::to_string(row.row);
  return rows;
}

std::string said(std::string_view text, const ReadFlags& flags) {
  try {
    (void)testing::read_text(text, flags);
    return "nothing";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.diagnostic().message;
  }
}

}  // namespace

TEST_CASE("decimal: numbers compare by value, however long and however written") {
  const std::vector<std::string> rising = {"-1e999999999",
                                           "-10",
                                           "-9.5",
                                           "-0.001",
                                           "0",
                                           "1e-400",
                                           "0.0009999999999999999999999",
                                           "0.001",
                                           "1",
                                           "1.0000000000000000000000000001",
                                           "9",
                                           "10",
                                           "123456789012345678901234567890",
                                           "123456789012345678901234567891",
                                           "1e40",
                                           "1e999999999"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      CAPTURE(rising[i]);
      CAPTURE(rising[j]);
      CHECK(compare(*read_decimal(rising[i]), *read_decimal(rising[j])) == (i <=> j));
    }
  }
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{{"1.0", "1"},
                                                                             {"10e-1", "1"},
                                                                             {"0.1e1", "1"},
                                                                             {"-0", "0"},
                                                                             {"0e5", "0"},
                                                                             {"007", "7"},
                                                                             {"+7", " 7 "},
                                                                             {".5", "0.50"},
                                                                             {"5.", "5"}}) {
    CHECK(compare(*read_decimal(a), *read_decimal(b)) == 0);
  }
  for (const char* text : {"", "-", ".", "1,5", "1e", "e1", "1e+", "0x1", "1 2", "--1", "nan"}) {
    CHECK_FALSE(read_decimal(text));
  }
}

TEST_CASE("filter: conditions keep the same rows of a table, of JSON and of an access log") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{"status = 200"}, "15"},
      {{"status=200"}, "15"},
      {{"status = 200.0"}, "15"},
      {{"status = '200.0'"}, ""},
      {{"status != 200"}, "2346"},
      {{"status >= 429"}, "24"},
      {{"status > 429"}, "4"},
      {{"status < 404"}, "15"},
      {{"status <= 404"}, "135"},
      {{"status = -"}, "6"},
      {{"user = ann"}, "135"},
      {{"user = \"ann\""}, "135"},
      {{"user != ann"}, "246"},
      {{"user = -"}, "4"},
      {{"user != -"}, "12356"},
      {{"user < b"}, "135"},
      {{"user ~ o"}, "26"},
      {{"path ~ /a"}, "145"},
      {{"path = /a"}, "14"},
      {{"path~1 = /a"}, "145"},
      {{"raw:path ~ x="}, "1"},
      {{"ip = ::ffff:192.0.2.2"}, "26"},
      {{"user = ann", "status = 200"}, "15"},
      {{"user = ann", "status = 503"}, ""}};
  for (const Written& sample : samples()) {
    for (const auto& [where, expected] : rows) {
      CAPTURE(sample.name);
      CAPTURE(where.front());
      ReadFlags flags;
      flags.where = where;
      // In a table the field `ip` is raw; there the role is asked for.
      if (where.front().starts_with("ip ") && std::string_view(sample.name) != "combined") {
        flags.where = {"ip:" + where.front()};
      }
      const testing::ReadResult read = testing::read_text_in_all_blocks(sample.text, flags);
      CHECK(kept(read) == expected);
      CHECK(read.rows == 6);
      CHECK(read.filtered == 6 - expected.size());
    }
  }
}

TEST_CASE("filter: instants from --since on and before --until are kept") {
  const std::vector<std::array<const char*, 3>> rows = {
      {"2026-01-02T03:04:12Z", "", "3456"},
      {"", "2026-01-02T03:04:12Z", "12"},
      {"2026-01-02T03:04:11Z", "2026-01-02T03:04:13Z", "23"},
      {"2026-01-02 03:04:11.5", "", "3456"},
      {"2026-01-02T04:04:12+01:00", "", "3456"},
      {"02/Jan/2026:03:04:12 +0000", "", "3456"},
      {"Fri, 02 Jan 2026 03:04:12 +0000", "", "3456"},
      {"1767323052", "", "3456"},
      {"1767323052000", "", "3456"},
      {"2026-01-02", "2026-01-03", "123456"},
      {"2026-01-03", "", ""}};
  for (const Written& sample : samples()) {
    for (const auto& [since, until, expected] : rows) {
      CAPTURE(sample.name);
      CAPTURE(since);
      ReadFlags flags;
      if (*since != '\0') flags.since = since;
      if (*until != '\0') flags.until = until;
      CHECK(kept(testing::read_text_in_all_blocks(sample.text, flags)) == expected);
    }
  }
  ReadFlags flags;
  flags.since = "10m";
  CHECK(said(samples()[0].text, flags).find("instants") != std::string::npos);
  flags.since = "yesterday";
  CHECK(said(samples()[0].text, flags) == "--since yesterday: no instant");
  flags.since = "2026-01-02";
  flags.until = "2026-01-02";
  CHECK(said(samples()[0].text, flags).find("nothing lies between") != std::string::npos);
}

TEST_CASE("filter: times since the start of a trace are bounded by durations") {
  const std::string csv = "ts,key\n0,a\n999,a\n1000,a\n1999,a\n2000,a\n";
  ReadFlags flags;
  flags.since = "1s";
  flags.until = "2000ms";
  CHECK(kept(testing::read_text_in_all_blocks(csv, flags)) == "34");
  flags.since = "2026-01-02";
  CHECK(said(csv, flags) == "--since 2026-01-02: the times of this trace count from its start");
}

TEST_CASE("filter: rows are left out by status, and the share of refused ones is told") {
  for (const Written& sample : samples()) {
    CAPTURE(sample.name);
    const auto source = testing::text_source(sample.text);
    const ReadPlan plan = make_plan(source->peek(), "log", {});
    REQUIRE(plan.warnings.size() == 1);
    CHECK(plan.warnings[0].message ==
          "refused when logged: 2 of the first 6 rows of log (33.333%)");
    const std::vector<std::pair<const char*, const char*>> rows = {{"429,503", "1356"},
                                                                   {"429", "13456"},
                                                                   {"4xx, 503", "156"},
                                                                   {"400-499", "1456"},
                                                                   {"2xx", "2346"}};
    for (const auto& [codes, expected] : rows) {
      CAPTURE(codes);
      ReadFlags flags;
      flags.exclude_status = codes;
      CHECK(kept(testing::read_text_in_all_blocks(sample.text, flags)) == expected);
      CHECK(make_plan(source->peek(), "log", flags).warnings.empty());
    }
  }
  ReadFlags flags;
  flags.exclude_status = "429";
  CHECK(said("ts,key\n1,a\n", flags).find("no field for the status") != std::string::npos);
  for (const char* codes : {"", "42", "4290", "429,", "xx", "499-400", "4xx-5xx", "ok", "429-"}) {
    CAPTURE(codes);
    flags.exclude_status = codes;
    CHECK(said(samples()[0].text, flags).find("no status code") != std::string::npos);
  }
}

TEST_CASE("filter: conditions that cannot be understood are refused") {
  for (const char* text :
       {"", "status", "= 5", "status =", "status =   ", "'status = 5", "path~2"}) {
    CAPTURE(text);
    ReadFlags flags;
    flags.where = {text};
    CHECK(said(samples()[0].text, flags).starts_with("--where '"));
  }
  ReadFlags flags;
  flags.where = {"stats = 5"};
  CHECK(said(samples()[0].text, flags) == "--where stats: text has no such field");
  const auto refusal = [](const char* text) {
    ReadFlags wrong;
    wrong.where = {text};
    return said(samples()[0].text, wrong);
  };
  const std::pair<const char*, const char*> foreign[] = {
      {"status <> 200", "no operator <>; write !="},
      {"status == 200", "no operator ==; write ="},
      {"status==200", "no operator ==; write ="},
      {"status => 200", "no operator =>; write >="},
      {"status =< 200", "no operator =<; write <="},
      {"path =~ /a", "no operator =~; write ~"},
      {"path !~ /a", "no operator !~"},
      {"status !== 200", "no operator !==; write !="},
      {"status = \"200", "a quote that never closes"}};
  for (const auto& [text, why] : foreign) {
    CAPTURE(text);
    CHECK(refusal(text).find(why) != std::string::npos);
  }
  CHECK(parse_condition("a = '=b'").value == "=b");
  const Condition quoted = parse_condition("'a=b' = ' c '");
  CHECK(quoted.field == "a=b");
  CHECK(quoted.value == " c ");
  CHECK(parse_condition("a = ''").value == "-");
}

TEST_CASE("filter: a row that cannot be read is bad, whatever the filters") {
  ReadFlags flags;
  flags.where = {"user = nobody"};
  const testing::ReadResult read =
      testing::read_text_in_all_blocks("ts,user,cost\n1,a,1\nx,a,1\n2,a,y\n3,nobody,1\n", flags);
  CHECK(kept(read) == "4");
  CHECK(read.all_bad() == 2);
  CHECK(read.filtered == 1);
}

TEST_CASE("sampling: a share of the keys, spread over partitions, and the same ones always") {
  constexpr int kKeys = 100'000;
  std::vector<int> by_partition(256);
  int sampled = 0;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = fmt::format("user-{}", i);
    if (!in_key_sample(key, 100'000)) continue;
    ++sampled;
    const std::string padded = key + std::string(16, '\0');
    ++by_partition[PackedKey(std::string_view(padded).substr(0, key.size())).hash() >> 56];
    // A smaller sample is a part of a larger one.
    CHECK(in_key_sample(key, 200'000));
  }
  // 10,000 expected, with a standard deviation of 95; 39 in each partition, of 6.
  CHECK(sampled > 9'500);
  CHECK(sampled < 10'500);
  for (const int count : by_partition) {
    CHECK(count > 10);
    CHECK(count < 80);
  }
  CHECK(in_key_sample("", 1'000'000));
  CHECK(in_key_sample("x", 1'000'000));
  CHECK(parse_share("1%") == 10'000U);
  CHECK(parse_share("0.05%") == 500U);
  CHECK(parse_share("0.0001%") == 1U);
  CHECK(parse_share("100%") == 1'000'000U);
  for (const char* text : {"1", "%", "101%", "-1%", "0.00001%", "1.5", "100.1%", "1e1%"}) {
    CHECK_FALSE(parse_share(text));
  }
}

namespace {

std::string facts_of(const std::vector<std::string>& paths, ReadOptions options) {
  const TraceFacts facts = read_trace(paths, options, nullptr).facts;
  return fmt::format(
      "{} rows, {} requests, {} bad, {} filtered, {} keys, {} missing, {} out of order, "
      "last {}",
      facts.rows, facts.requests, facts.bad, facts.filtered, facts.keys, facts.missing_keys,
      facts.out_of_order, facts.last.time_since_epoch().count() / 1'000'000);
}

}  // namespace

TEST_CASE("head: the first rows over all files, at any number of threads and size of blocks") {
  const test::TemporaryFolder folder;
  std::string first = "ts,user,n\n";
  std::string second = "ts,user,n\n";
  std::string first_lines;
  std::string second_lines;
  for (int i = 1; i <= 5'000; ++i) {
    const std::string time = i % 50 == 0 ? "x" : std::to_string(i % 7 == 0 ? i - 3 : i);
    const std::string user = i % 10 == 0 ? "" : fmt::format("u{}", i % 9);
    (i <= 3'000 ? first : second) += fmt::format("{},{},{}\n", time, user, i);
    (i <= 3'000 ? first_lines : second_lines) +=
        fmt::format("{{\"ts\":\"{}\",\"user\":\"{}\",\"n\":{}}}\n", time, user, i);
  }
  const std::vector<std::string> csv = {folder.write("1.csv", first),
                                        folder.write("2.csv", second)};
  const std::vector<std::string> json = {folder.write("1.ndjson", first_lines),
                                         folder.write("2.ndjson", second_lines)};
  for (const std::uint64_t head : {1, 49, 50, 777, 2'999, 3'000, 3'001, 4'999, 5'000, 5'001}) {
    ReadOptions options;
    options.flags.head = head;
    options.max_bad_rows = "100%";
    std::optional<std::string> expected;
    for (const unsigned threads : {1U, 2U, 8U}) {
      for (const std::size_t bytes : {std::size_t{16} << 10, std::size_t{4} << 20}) {
        options.threads = threads;
        options.block_bytes = bytes;
        const std::string facts = facts_of(csv, options);
        if (!expected) expected = facts;
        CAPTURE(head);
        CHECK(facts == *expected);
        CHECK(facts.starts_with(fmt::format("{} rows, ", std::min<std::uint64_t>(head, 5'000))));
        CHECK(facts_of(json, options) == facts);
      }
    }
  }
}

TEST_CASE("selection: filters keep the same rows at any number of threads and size of blocks") {
  const test::TemporaryFolder folder;
  std::string log;
  for (int i = 0; i < 2'000; ++i) {
    log += fmt::format(
        "192.0.{}.{} - {} [02/Jan/2026:03:{:02}:{:02} +0000] \"GET /p{}/x?{} HTTP/1.1\" {} 5\n",
        i % 11, i % 101, i % 5 == 0 ? "-" : "u", i / 60 % 60, i % 60, i % 13, i,
        i % 17 == 0 ? 429 : 200);
  }
  const std::vector<std::string> paths = {folder.write("access.log", log)};
  std::vector<ReadFlags> all(6);
  all[0].where = {"status = 200", "path ~ /p1"};
  all[1].since = "2026-01-02T03:10:00Z";
  all[1].until = "2026-01-02T03:20:00Z";
  all[2].exclude_status = "429";
  all[2].ip_prefix = "24,64";
  all[3].sample_keys = "25%";
  all[4].keys = {"user", "path~1"};
  all[4].missing_key = MissingKey::kSkip;
  all[5].keys = {"lower:user"};
  all[5].head = 1'234;
  all[5].sample_keys = "100%";
  for (const ReadFlags& flags : all) {
    ReadOptions options;
    options.flags = flags;
    std::optional<std::string> expected;
    for (const unsigned threads : {1U, 2U, 8U}) {
      for (const std::size_t bytes : {std::size_t{16} << 10, std::size_t{4} << 20}) {
        options.threads = threads;
        options.block_bytes = bytes;
        const std::string facts = facts_of(paths, options);
        if (!expected) expected = facts;
        CHECK(facts == *expected);
      }
    }
  }
}
