// SPDX-License-Identifier: Apache-2.0
#include "report/outputs.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "error.hpp"
#include "report/csv.hpp"
#include "report/decisions.hpp"
#include "report/json.hpp"
#include "report/markdown.hpp"
#include "report/sample_result.hpp"
#include "run_program.hpp"

namespace ratereplay {
namespace {

std::string requests(const std::vector<std::string>& texts) {
  std::string out;
  try {
    for (const OutputRequest& request : parse_outputs(texts)) {
      out += fmt::format("{}>{};", request.format->name, request.path);
    }
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    out = error.what();
    for (const std::string& line : error.diagnostic().advice) out += " | " + line;
  }
  return out;
}

/// The fenced block of docs/outputs.md that follows the comment `<!-- NAME -->`.
std::string documented(const std::string& name) {
  const std::string page = test::read_text(RATEREPLAY_SOURCE_DIR "/docs/outputs.md");
  const std::size_t mark = page.find(fmt::format("<!-- {} -->\n```", name));
  REQUIRE_MESSAGE(mark != std::string::npos, name);
  const std::size_t begin = page.find('\n', page.find("```", mark)) + 1;
  return page.substr(begin, page.find("```\n", begin) - begin);
}

std::vector<DecisionRow> sample_decisions() {
  const auto at = [](std::int64_t ms) { return Instant{std::chrono::milliseconds{ms}}; };
  Decision admitted;
  admitted.remaining = 1;
  admitted.reset_at = at(1950);
  admitted.full_at = at(1950);
  Decision full;
  full.remaining = 2;
  full.full_at = at(950);
  Decision refused;
  refused.outcome = Outcome::kRefused;
  refused.retry_after = Duration{900'000'000};
  refused.reset_at = at(1950);
  refused.full_at = at(2000);
  Decision never;
  never.outcome = Outcome::kNever;
  never.retry_after = std::nullopt;
  never.reset_at = Instant{Duration{1'950'000'001}};
  never.full_at = at(2000);
  Decision delayed = admitted;
  delayed.delay = Duration{333333334};
  return {{1, at(950), "192.0.2.10", 1, 0, admitted},
          {1, at(950), "192.0.2.10", 1, 1, delayed},
          {3, at(1050), "Bob, \"B\"", 0, 0, full},
          {3, at(1050), "Bob, \"B\"", 0, 1, refused},
          {4, at(1100), "caf\xe9", 4000000000, 0, never}};
}

const std::vector<std::string> kLabels{"sliding-log:2/1s", "edge"};

template <class Make>
std::string decisions_text(Make make, const std::vector<DecisionRow>& rows) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("decisions");
  OutputFile file(path);
  const auto sink = make(file, kLabels);
  sink->write(std::span(rows).first(rows.size() / 2));
  sink->write(std::span(rows).subspan(rows.size() / 2));
  file.finish();
  return test::read_text(path);
}

}  // namespace

TEST_CASE("the table takes standard output unless another output does") {
  CHECK(requests({}) == "table>;");
  CHECK(requests({"json"}) == "json>;");
  CHECK(requests({"json=r.json"}) == "json>r.json;table>;");
  CHECK(requests({"json=r.json", "csv"}) == "json>r.json;csv>;");
  CHECK(requests({"decisions.csv=-"}) == "decisions.csv>;");
  CHECK(requests({"csv=a=b.csv"}) == "csv>a=b.csv;table>;");
}

TEST_CASE("outputs that cannot be written together are refused") {
  CHECK(requests({"json", "csv"}) ==
        "-o json and -o csv both go to standard output | name a file for one of them, as in "
        "-o csv=FILE");
  CHECK(requests({"table", "table"}) ==
        "-o table and -o table both go to standard output | name a file for one of them, as in "
        "-o table=FILE");
  CHECK(requests({"json=a", "csv=./a"}) == "-o json and -o csv both go to './a'");
  CHECK(requests({"json=/dev/null", "csv=/dev/null"}) == "json>/dev/null;csv>/dev/null;table>;");
  CHECK(requests({"json="}) ==
        "-o json= names no file behind '=' | write -o json for standard output");
  CHECK(requests({"jsn=x"}) ==
        "unknown output format 'jsn' | did you mean 'json'? | formats: table, json, csv, "
        "markdown, decisions.csv, decisions.ndjson, series.csv");
}

TEST_CASE("every output is as its page shows it") {
  const Result result = test::sample_result();
  for (const OutputFormat& format : output_formats()) {
    if (format.takes_decisions()) continue;
    CAPTURE(format.name);
    CHECK(format.render(result, false) == documented(std::string(format.name)));
  }
  CHECK(decisions_text(decisions_csv, sample_decisions()) == documented("decisions.csv"));
  CHECK(decisions_text(decisions_ndjson, sample_decisions()) == documented("decisions.ndjson"));
}

TEST_CASE("decisions with keys longer than the buffer are written whole") {
  const std::string key(300'000, 'k');
  const std::vector<DecisionRow> rows{{1, Instant{}, "a", 1, 0, {}},
                                      {2, Instant{}, key, 1, 0, {}},
                                      {2, Instant{}, key, 1, 1, {}},
                                      {3, Instant{}, "b", 1, 0, {}}};
  const std::string text = decisions_text(decisions_csv, rows);
  const std::string tail = ",true,0,0,,,0\n";
  CHECK(text ==
        "row,atMs,key,cost,policy,admitted,remaining,retryAfterMs,resetAtMs,fullAtMs,"
        "delayMs\n1,0,a,1,sliding-log:2/1s" +
            tail + "2,0," + key + ",1,sliding-log:2/1s" + tail + "2,0," + key + ",1,edge" + tail +
            "3,0,b,1,sliding-log:2/1s" + tail);
}

TEST_CASE("CSV quotes what would break a line and keeps UTF-8") {
  const auto field = [](std::string_view text) {
    std::string out;
    append_csv_field(out, text);
    return out;
  };
  CHECK(field("plain") == "plain");
  CHECK(field("") == "");
  CHECK(field("a,b") == "\"a,b\"");
  CHECK(field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(field("\"") == "\"\"\"\"");
  CHECK(field("a\nb\r") == "\"a\nb\r\"");
  CHECK(field("a\xff,") == "\"a\xef\xbf\xbd,\"");
}

TEST_CASE("a label cannot break out of its Markdown cell") {
  Result result = test::sample_result();
  result.policies[0].name = "a|b`c``<script>\n";
  const std::string text = markdown_text(result);
  CHECK(text.find("| ``` a\\|b`c``<script>\\n ``` = `sliding-log:30/1s` |") != std::string::npos);
}

TEST_CASE("report draws a stored result like the run, and refuses decisions") {
  const test::TemporaryFolder folder;
  const Result result = test::sample_result();
  const std::string stored = folder.write("r.json", json_text(result));
  for (const OutputFormat& format : output_formats()) {
    const std::string name(format.name);
    const test::ProgramRun run = test::run_program({"report", stored, "-o", name});
    CAPTURE(run.err);
    if (format.takes_decisions()) {
      CHECK(run.exit_code == 2);
      CHECK(run.out.empty());
      CHECK(run.err.find("cannot be drawn from a stored result") != std::string::npos);
    } else {
      CHECK(run.exit_code == 0);
      CHECK(run.out == format.render(result, false));
    }
  }
  CHECK(test::run_program({"report", "-"}, json_text(result)).exit_code == 0);
  CHECK(test::run_program({"report", folder.path("none.json")}).exit_code == 3);
  CHECK(test::run_program({"report", stored, "-o", "csv=" + folder.path("no/such/r.csv")})
            .exit_code == 4);
}

}  // namespace ratereplay
