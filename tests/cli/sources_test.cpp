// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "keys/trace_store.hpp"
#include "run_program.hpp"
#include "trace/compress.hpp"
#include "trace/read_text.hpp"

namespace ratereplay::test {
namespace {

using Json = nlohmann::json;
using ratereplay::testing::compress;
using ratereplay::testing::recorded_trace;

const std::string kHeader = "ts,key\n";

std::string rows(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) {
    text += std::to_string(1'700'000'000 + i) + ",k" + std::to_string(i % 5) + '\n';
  }
  return text;
}

ProgramRun run_csv(std::vector<std::string> args) {
  args.insert(args.begin(), {"run", "-q", "-p", "sliding-log:3/10s", "-o", "csv"});
  return run_program(args);
}

Json trace_of(std::vector<std::string> args) {
  args.insert(args.begin(), {"run", "-o", "json"});
  const ProgramRun run = run_program(args);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return Json::parse(run.out)["trace"];
}

bool holds(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("sources: a compressed log gives the result of the plain one, from a pipe too") {
  const TemporaryFolder folder;
  const std::string text = kHeader + rows(0, 5000);
  const ProgramRun plain = run_csv({folder.write("plain", text)});
  REQUIRE(plain.exit_code == 0);
  for (const std::string kind : {"gzip", "zstd", "bzip2", "xz"}) {
    CAPTURE(kind);
    const std::string bytes =
        compress(kind, text.substr(0, 9000)) + compress(kind, text.substr(9000));
    // The name says nothing.
    const std::string path = folder.write("log.txt", bytes);
    CHECK(run_csv({path}).out == plain.out);
    CHECK(run_program({"run", "-q", "-", "-p", "sliding-log:3/10s", "-o", "csv"}, bytes).out ==
          plain.out);
    const Json trace = trace_of({path});
    CHECK(trace["files"][0]["compression"] == kind);
    CHECK(trace["files"][0]["bytes"] == bytes.size());
    CHECK(trace["rows"] == 5000);
    CHECK(holds(run_program({"run", path}).out, "csv, " + kind + ";"));
  }
}

TEST_CASE("sources: a large archive of many members holds the rows that zcat counts") {
  const TemporaryFolder folder;
  std::string bytes = compress("gzip", "timestamp\tclient\n");
  for (int member = 0; member < 40; ++member) {
    std::string text;
    for (int i = 0; i < 5000; ++i) {
      text += std::to_string(1'700'000'000 + member * 5000 + i) + "\tc" + std::to_string(i % 911) +
              '\n';
    }
    bytes += compress("gzip", text);
  }
  const Json trace = trace_of({folder.write("large.tsv.gz", bytes)});
  CHECK(trace["rows"] == 200'000);
  CHECK(trace["requests"] == 200'000);
  CHECK(trace["keys"] == 911);
}

TEST_CASE("sources: noise behind an archive, an archive cut in half, two archives joined") {
  const TemporaryFolder folder;
  const std::string a = compress("gzip", kHeader + rows(0, 1000));
  const std::string b = compress("gzip", rows(1000, 1500));
  const ProgramRun noise = run_program({"run", folder.write("a", a + "sixteen bytes!!!")});
  CHECK(noise.exit_code == 0);
  CHECK(holds(noise.out, "1,000 requests"));
  CHECK(holds(noise.err, "warning: 16 bytes behind the end of the gzip archive left out"));
  CHECK(holds(noise.err, "a, after byte " + std::to_string(a.size()) + " as stored"));

  const std::string half = folder.write("half.gz", a.substr(0, a.size() / 2));
  const ProgramRun cut = run_program({"run", half});
  CHECK(cut.exit_code == 3);
  CHECK(cut.out.empty());
  CHECK(holds(cut.err, "error: the gzip archive is cut off\n  --> " + half + ", after byte "));
  CHECK(holds(cut.err, "--allow-truncated"));
  const ProgramRun allowed = run_program({"run", half, "--allow-truncated"});
  CHECK(allowed.exit_code == 0);
  CHECK(
      holds(allowed.err, "warning: the gzip archive is cut off; the rows up to there were taken"));

  CHECK(trace_of({folder.write("joined", a + b)})["rows"] == 1500);
}

TEST_CASE(
    "sources: the record that a cut-off archive ends in is a bad row, whatever it looks like") {
  const TemporaryFolder folder;
  // The last line would read well, as another key. A stored block keeps cuts at bytes of the text.
  struct Case {
    const char* what;
    std::string text;
    int requests;
    int bad;
  };
  const std::vector<Case> cases = {
      {"inside a line", "ts,key\n1,aa\n2,bb\n3,c", 2, 1},
      {"behind a line", "ts,key\n1,aa\n2,bb\n", 2, 0},
      {"inside a comment", "ts,key\n1,aa\n# no", 1, 0},
      {"inside quotes", "ts,key\n1,aa\n2,\"b", 1, 1},
      {"a stray quote before other lines", "ts,key\n1,\"aa\n2,bb\n3,cc\n4,d", 2, 2},
      {"inside a list", "[{\"ts\":1,\"key\":\"a\"},{\"ts\":2,\"key\":\"b\"},\n{\"ts\":3,\"k", 2, 1},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    // RFC 1951, 3.2.4: a stored block of 1000 bytes, of which the file holds the first.
    std::string bytes =
        std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff\0\xe8\x03\x17\xfc", 15) + one.text;
    const std::string path = folder.write("cut.gz", bytes);
    CHECK(run_program({"run", path}).exit_code == 3);
    const Json trace = trace_of({path, "--allow-truncated", "--max-bad-rows", "50%"});
    CHECK(trace["requests"] == one.requests);
    CHECK(trace["bad"] == one.bad);
    CHECK(trace["rows"] == one.requests + one.bad);
  }
  // The allowance for bad rows is for others.
  const std::string path = folder.write(
      "cut.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff\0\xe8\x03\x17\xfc", 15) + cases[0].text);
  const Json trace = trace_of({path, "--allow-truncated", "--max-bad-rows", "0"});
  CHECK(trace["badKinds"][0]["kind"] == "truncated");
  CHECK(trace["badKinds"][0]["first"][0]["line"] == 4);
}

TEST_CASE("sources: an unterminated JSON list is an error, or its elements so far") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("list.json", "[{\"ts\":1,\"key\":\"a\"},{\"ts\":2,\"key\":\"b\"}");
  const ProgramRun run = run_program({"run", path});
  CHECK(run.exit_code == 3);
  CHECK(holds(run.err, "--allow-truncated"));
  const ProgramRun allowed = run_program({"run", path, "--allow-truncated"});
  CHECK(allowed.exit_code == 0);
  CHECK(holds(allowed.err, "warning: " + path + ": the file ends inside the JSON list"));
  CHECK(holds(allowed.out, "2 requests"));
}

TEST_CASE(
    "sources: the first and the last object of a cut-out piece of a log are rejects with lines") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("piece.ndjson", "ts\": 1, \"key\": 1}\n{\"ts\": 5, \"key\": 2}\n{\"ts");
  const Json trace = trace_of({path, "-F", "ndjson", "--max-bad-rows", "2"});
  CHECK(trace["requests"] == 1);
  CHECK(trace["bad"] == 2);
  CHECK(trace["badKinds"][0]["first"][0]["line"] == 1);
  CHECK(trace["badKinds"][0]["first"][1]["line"] == 3);
}

TEST_CASE("sources: none, one and two line feeds at the end are the same rows") {
  const TemporaryFolder folder;
  for (const std::string end : {"", "\n", "\n\n"}) {
    const std::string text = "ts,key\n1,a\n2,b" + end;
    CHECK(trace_of({folder.write("plain", text)})["rows"] == 2);
    CHECK(trace_of({folder.write("packed", compress("zstd", text))})["rows"] == 2);
  }
}

TEST_CASE("sources: an archive without text holds no request; among others it is a note") {
  const TemporaryFolder folder;
  const std::string none = folder.write("none.gz", compress("gzip", ""));
  const ProgramRun run = run_program({"run", none});
  CHECK(run.exit_code == 3);
  CHECK(holds(run.err, "no request in"));
  CHECK(run_program({"run", none, none}).exit_code == 3);
  const std::string some = folder.write("some", kHeader + rows(0, 3));
  const ProgramRun both = run_program({"run", none, some});
  CHECK(both.exit_code == 0);
  CHECK(holds(both.err, "note: " + none + " is empty"));
  CHECK(trace_of({none, some})["files"].size() == 2);
}

TEST_CASE("sources: a quoted pattern is its matches in order; shards repeat their header") {
  const TemporaryFolder folder;
  // Rotated while written: the times of the files overlap.
  folder.write("log.1.xz", compress("xz", kHeader + rows(0, 60)));
  folder.write("log.2.gz", compress("gzip", kHeader + rows(40, 120)));
  folder.write("log.3", kHeader + rows(110, 200));
  const Json trace = trace_of({folder.path("log.*"), "-p", "sliding-log:3/10s"});
  CHECK(trace["rows"] == 60 + 80 + 90);
  CHECK(trace["bad"] == 0);
  REQUIRE(trace["files"].size() == 3);
  CHECK(trace["files"][0]["path"] == folder.path("log.1.xz"));
  CHECK(trace["files"][2]["path"] == folder.path("log.3"));
  CHECK(trace["files"][1]["compression"] == "gzip");
  CHECK(trace["files"][2]["compression"].is_null());

  // One file that holds the rows by instant, file and row replays alike.
  std::string merged = kHeader;
  const auto count = [](int i) { return (i < 60) + (i >= 40 && i < 120) + (i >= 110); };
  for (int i = 0; i < 200; ++i) {
    for (int n = 0; n < count(i); ++n) merged += rows(i, i + 1);
  }
  CHECK(run_csv({folder.path("log.[123]*")}).out == run_csv({folder.write("merged", merged)}).out);

  folder.write("odd[1].csv", kHeader + rows(0, 7));
  CHECK(trace_of({folder.path("odd[1].csv")})["rows"] == 7);
  const ProgramRun none = run_program({"run", folder.path("*.zst")});
  CHECK(none.exit_code == 3);
  CHECK(holds(none.err, "no file matches '" + folder.path("*.zst") + "'"));
}

TEST_CASE("sources: a part of `split` without the header is told as such") {
  const TemporaryFolder folder;
  const std::string first = folder.write("m1.csv", kHeader + rows(0, 60));
  const std::string second = folder.write("m2.csv", rows(60, 120));
  const std::vector<std::string> pins[] = {{}, {"-F", "csv"}, {"-k", "key"}};
  for (std::vector<std::string> args : pins) {
    args.insert(args.begin(), {"run", first, second});
    const ProgramRun run = run_program(args);
    CAPTURE(run.err);
    CHECK(run.exit_code == 3);
    CHECK(holds(run.err, "error: " + second + " has no header and " + first + " has one\n"));
    CHECK(holds(run.err, "`cat` them in order into `ratereplay run -`"));
  }
  // Alone, and before the header, it is read or refused as itself.
  CHECK_FALSE(holds(run_program({"run", second}).err, "has no header"));
}

TEST_CASE("sources: a file in UTF-16 or UTF-32 is told with the encoding that iconv wants") {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> files[] = {
      {std::string("\xff\xfet\0s\0", 6), "UTF-16"},
      {std::string("\xfe\xff\0t\0s", 6), "UTF-16"},
      {std::string("\xff\xfe\0\0t\0\0\0", 8), "UTF-32"},
      {std::string("\0\0\xfe\xff\0\0\0t", 8), "UTF-32"}};
  for (const auto& [text, encoding] : files) {
    const std::string path = folder.write("wide", text);
    const ProgramRun run = run_program({"run", path});
    CAPTURE(run.err);
    CHECK(run.exit_code == 3);
    CHECK(holds(run.err, "this is " + encoding + "; only UTF-8 is read"));
    CHECK(holds(run.err, "iconv -f " + encoding + " -t UTF-8 " + path + " | ratereplay run -"));
  }
}

TEST_CASE("sources: equal instants are decided by file, then row") {
  const TemporaryFolder folder;
  const std::string b = folder.write("b", "ts,key,cost\n5,x,2\n5,x,1\n");
  const std::string a = folder.write("a", "ts,key,cost\n5,x,3\n4,x,1\n");
  const auto decisions = [&](std::vector<std::string> paths) {
    std::vector<std::string> args = {"run", "-q", "-p", "sliding-log:3/1h", "-o", "decisions.csv"};
    args.insert(args.end(), paths.begin(), paths.end());
    std::string order;
    const std::string out = run_program(args).out;
    for (std::size_t at = out.find('\n') + 1; at < out.size(); at = out.find('\n', at) + 1) {
      order += out[at];
    }
    return order;
  };
  CHECK(decisions({b, a}) == "4123");
  CHECK(decisions({a, b}) == "2134");
}

TEST_CASE("sources: standard input twice is a usage error, a file twice a warning") {
  const TemporaryFolder folder;
  CHECK(run_program({"run", "-", "-"}, kHeader).exit_code == 2);
  const std::string path = folder.write("log", kHeader + rows(0, 3));
  const std::string again = folder.root() + "/./log";
  const ProgramRun run = run_program({"run", path, again});
  CHECK(run.exit_code == 0);
  CHECK(holds(run.err, "warning: " + again + " is given twice, also as " + path));
  CHECK(holds(run.out, "6 requests"));
}

TEST_CASE("bad rows: kept whole, in order, the same for any number of threads") {
  const TemporaryFolder folder;
  std::string text = "ts,key,note\r\n";
  std::string bad;
  const auto row = [&](const std::string& record, bool good) {
    text += record;
    if (!good) bad += record;
  };
  for (int i = 0; i < 40'000; ++i) {
    row(std::to_string(i) + ",k,\"a\nnote\"\r\n", true);
    if (i % 1000 == 0)
      row("x" + std::to_string(i) + ",k,\"two\nlines, \"\"quoted\"\"\"\r\n", false);
    if (i % 1500 == 0) row("7,k\n", false);
    if (i % 1700 == 0) row("7,\xff\"k\xfe,\"closed\" badly\n", false);
  }
  row("last,k,", false);
  const std::string path = folder.write("log.csv", text);
  for (const char* threads : {"1", "3"}) {
    const std::string kept = folder.path("bad");
    const ProgramRun run = run_program({"run", path, "--bad-rows", kept, "--threads", threads});
    CAPTURE(run.err);
    CHECK(run.exit_code == 0);
    CHECK((read_text(kept) == bad + '\n'));
  }
}

TEST_CASE("bad rows: of lines and of JSON lists, and where there are too many") {
  const TemporaryFolder folder;
  const std::string kept = folder.path("bad");
  const std::string ndjson =
      folder.write("log", "{\"ts\":1,\"key\":1}\n{\"ts\":\n# no\n\n{\"ts\":\"x\"}\r\n");
  CHECK(run_program({"run", ndjson, "--bad-rows", kept}).exit_code == 3);
  CHECK(read_text(kept) == "{\"ts\":\n{\"ts\":\"x\"}\r\n");
  const std::string list = folder.write(
      "list",
      "{\"a\":1,\"list\":[ {\"ts\":1,\"key\":1}, {\"ts\":\n\"x\"},{\"ts\":2,\"key\":1},3 ]}");
  CHECK(run_program({"run", list, "--bad-rows", kept, "--max-bad-rows", "2"}).exit_code == 0);
  CHECK(read_text(kept) == "{\"ts\":\n\"x\"}\n3 \n");
}

TEST_CASE("bad rows: a file that cannot be written, none, and the trace itself are errors") {
  const TemporaryFolder folder;
  const std::string path = folder.write("log", kHeader + rows(0, 300) + "x,y\n");
  const auto code = [&](const std::string& kept) {
    return run_program({"run", path, "--bad-rows", kept}).exit_code;
  };
  CHECK(code("/dev/full") == 4);
  CHECK(code("/nowhere/bad") == 4);
  CHECK(code("-") == 2);
  CHECK(code(path) == 2);
  CHECK(read_text(path).size() == kHeader.size() + rows(0, 300).size() + 4);
  // It cannot change a result.
  const auto command = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"run", path, "-o", "json"});
    return run_program(args).out;
  };
  CHECK(command({"--bad-rows", folder.path("bad")}) == command({}));
}

TEST_CASE("reading: a sample stops in every file, and says how much it read") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", kHeader + rows(0, 1000));
  const std::string b = folder.write("b.gz", compress("gzip", kHeader + rows(0, 1000)));
  const std::string c = folder.write("c", kHeader + rows(0, 10));
  ReadOptions options;
  options.block_bytes = 1000;
  options.sample_bytes = 30'000;
  options.digests = true;
  const TraceStore part = read_trace({a, b, c}, options, nullptr);
  REQUIRE(part.sampled_bytes);
  CHECK(*part.sampled_bytes >= 20'000);
  CHECK(*part.sampled_bytes < 23'000);
  CHECK(part.facts.rows < 1600);
  CHECK(part.facts.files[0].rows == part.facts.files[1].rows);
  CHECK(part.facts.files[2].rows == 10);
  CHECK(part.facts.files[0].bytes == kHeader.size() + rows(0, 1000).size());
  CHECK(part.facts.files[0].sha256.empty());
  CHECK(part.facts.files[2].sha256.size() == 64);

  options.sample_bytes = 60'000;
  const TraceStore whole = read_trace({a, b, c}, options, nullptr);
  CHECK(!whole.sampled_bytes);
  CHECK(whole.facts.rows == 2010);
}

TEST_CASE("reading: a sample that ends with the file is the whole of it") {
  const TemporaryFolder folder;
  const std::string text = kHeader + rows(0, 100);
  ReadOptions options;
  options.sample_bytes = text.size();
  CHECK(!read_trace({folder.write("log", text)}, options, nullptr).sampled_bytes);
  options.sample_bytes = text.size() - 1;
  options.block_bytes = 100;
  CHECK(!read_trace({folder.write("log", text)}, options, nullptr).sampled_bytes);
}

TEST_CASE("reading: long and short keys outlive the blocks that they were read from") {
  const TemporaryFolder folder;
  std::string text = kHeader;
  std::map<std::string, std::size_t> expected;
  for (std::size_t i = 0; i < 20'000; ++i) {
    // Some blocks hold short keys alone, and give their memory to the next ones.
    const std::string start = i / 500 % 3 == 0 ? std::string(10 + i % 30, 'k') : "k";
    const std::string key = start + std::to_string(i * i % 1'000);
    text += std::to_string(i) + "," + key + "\n";
    ++expected[key];
  }
  const std::string path = folder.write("log", text);
  for (const std::size_t block_bytes : {2'000U, 30'000U, 4'000'000U}) {
    for (const unsigned threads : {1U, 3U}) {
      CAPTURE(block_bytes);
      CAPTURE(threads);
      ReadOptions options;
      options.block_bytes = block_bytes;
      options.threads = threads;
      options.max_memory = kLeastMemory;
      const TraceStore trace = read_trace({path}, options, nullptr);
      std::map<std::string, std::size_t> found;
      GroupedRows grouped;
      for (const Partition& partition : trace.partitions) {
        partition.group(Order::kSort, grouped);
        for (std::size_t i = 0; i < grouped.keys.size(); ++i) {
          found[std::string(grouped.keys[i].text())] += grouped.first[i + 1] - grouped.first[i];
        }
      }
      CHECK(found == expected);
    }
  }
}

}  // namespace ratereplay::test
