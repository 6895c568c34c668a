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

/// Requests, and for each what both policies said.
struct Decided {
  std::vector<std::string> keys;
  std::vector<Timeline::Event> requests;
  std::vector<Decision> answers;
  ToldDecision last;  ///< what a program said
};

Decided sample_decisions() {
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
  constexpr std::int64_t kMs = 1'000'000;
  return {{"192.0.2.10", "Bob, \"B\"", "caf\xe9"},
          {{950 * kMs, 0, 0, 1}, {1050 * kMs, 2, 1, 0}, {1100 * kMs, 3, 2, 4000000000}},
          {admitted, delayed, full, refused, never},
          {refused, {.remaining = true}}};
}

const std::vector<std::string> kLabels{"sliding-log:2/1s", "edge"};

/// The first `half` requests are drawn as one batch, the others as another.
template <class Make>
std::string decisions_text(Make make, const Decided& decided, std::size_t half = 1) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("decisions");
  OutputFile file(path);
  const auto sink = make(file, kLabels);
  for (const std::string& key : decided.keys) sink->add_key(key);
  const std::span requests(decided.requests);
  std::vector<PackedDecision> packed(decided.answers.begin(), decided.answers.end());
  packed.emplace_back(&decided.last);
  const std::span<const PackedDecision> answers(packed);
  TextBuffer text;
  sink->draw({requests.first(half), answers.first(half * kLabels.size())}, text);
  sink->draw({requests.subspan(half), answers.subspan(half * kLabels.size())}, text);
  sink->write(text.text());
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

TEST_CASE("decisions show keys of every length whole") {
  Decided decided;
  std::string expected =
      "row,atMs,key,cost,policy,admitted,remaining,retryAfterMs,resetAtMs,fullAtMs,delayMs\n";
  std::vector<std::size_t> lengths = {0, 1, 14, 15, 16, 17, 31, 32, 33, 300'000, 5};
  for (const std::size_t length : lengths) {
    const std::size_t row = decided.requests.size();
    const std::string& key = decided.keys.emplace_back(length, static_cast<char>('a' + row));
    decided.requests.push_back({0, row, static_cast<std::uint32_t>(row), 1});
    for (const std::string& label : kLabels) {
      decided.answers.emplace_back();
      expected += std::to_string(row + 1) + ",0," + key + ",1," + label + ",true,0,0,,,0\n";
    }
  }
  for (const std::size_t half : {std::size_t{0}, std::size_t{5}, lengths.size()}) {
    const bool same = decisions_text(decisions_csv, decided, half) == expected;
    CHECK(same);
  }
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
