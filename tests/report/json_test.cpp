// SPDX-License-Identifier: Apache-2.0
#include "report/json.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "error.hpp"
#include "report/csv.hpp"
#include "report/json_value.hpp"
#include "report/json_writer.hpp"
#include "report/markdown.hpp"
#include "report/result_json_reader.hpp"
#include "report/sample_result.hpp"
#include "report/table.hpp"
#include "report/valid_utf8.hpp"
#include "run_program.hpp"

namespace ratereplay {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(result_from_json(text, "r.json"));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    return error.what();
  }
  return "accepted";
}

constexpr int kNoValidator = 77;

int validate(const std::string& document) {
  const std::string folder = RATEREPLAY_SOURCE_DIR;
  const std::string command = fmt::format(
      "python3 '{0}/tests/report/validate.py' '{0}/docs/schema/result.schema.json' "
      "'{1}' > '{1}.log' 2>&1",
      folder, document);
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return code == 127 ? kNoValidator : code;
}

}  // namespace

TEST_CASE("a JSON string escapes what it must and keeps the rest") {
  const auto text = [](std::string_view raw) {
    std::string out;
    append_json_string(out, raw);
    return out;
  };
  CHECK(text("") == R"("")");
  CHECK(text("plain</script>") == R"("plain</script>")");
  CHECK(text("a\"b\\c\n\r\t") == R"("a\"b\\c\n\r\t")");
  CHECK(text(std::string_view("\0\x1f\x7f", 3)) == "\"\\u0000\\u001f\\u007f\"");
  CHECK(text("caf\xc3\xa9") == "\"caf\xc3\xa9\"");
  CHECK(text("a\xff\xc3") == "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST_CASE("base64 comes back, and what is not canonical is refused") {
  for (const char* bytes : {"", "f", "fo", "foo", "foob", "fooba", "\xff\xfe\x01"}) {
    CHECK(parse_base64(base64_text(bytes)) == bytes);
  }
  CHECK(base64_text("foob") == "Zm9vYg==");
  for (const char* text : {"Zm9vYg=", "Zm9vYg", "Zm9vYh==", "Z", "====", "Zm9v\n"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_base64(text));
  }
}

TEST_CASE("a stored result gives the outputs of its run, byte for byte") {
  for (const Result& result :
       {test::sample_result(), test::hostile_result(), test::extreme_result()}) {
    const std::string stored = json_text(result);
    const Result read = result_from_json(stored, "r.json");
    CHECK(json_text(read) == stored);
    CHECK(table_text(read) == table_text(result));
    CHECK(csv_text(read) == csv_text(result));
    CHECK(series_csv_text(read) == series_csv_text(result));
    CHECK(markdown_text(read) == markdown_text(result));
  }
}

TEST_CASE("a stored result keeps keys that are not UTF-8") {
  const Result read = result_from_json(json_text(test::hostile_result()), "r.json");
  CHECK(read.policies.back().worst.key == "</script>\"'\n\xff");
}

TEST_CASE("a stored result with its members in another order is the same") {
  const std::string stored = json_text(test::sample_result());
  const std::string other =
      replaced(stored, R"("agree": 62034, "looser": 1577)", R"("looser": 1577, "agree": 62034)");
  CHECK(json_text(result_from_json(other, "r.json")) == stored);
  CHECK(json_text(result_from_json(replaced(stored, "0.0290", "0.029"), "r.json")) == stored);
}

TEST_CASE("a damaged result is refused with the place") {
  const std::string stored = json_text(test::sample_result());
  CHECK(refusal(stored) == "accepted");
  CHECK(refusal("") == "'r.json' ends in the middle of the document");
  CHECK(refusal(stored.substr(0, stored.size() / 2)) ==
        "'r.json' ends in the middle of the document");
  CHECK(refusal(stored.substr(0, stored.size() - 2)) ==
        "'r.json' ends in the middle of the document");
  CHECK(refusal("{]") == "'r.json' is not JSON from byte 2 on");
  CHECK(refusal(std::string(100000, '[')) == "'r.json' is nested deeper than 32 levels");
  CHECK(refusal("[]") == "'r.json' is no result: schemaVersion is missing");
  CHECK(refusal(replaced(stored, R"("schemaVersion": "1.0")", R"("schemaVersion": "2.0")")) ==
        "'r.json' has schema version 2.0, and this program reads 1.0");
  CHECK(refusal(replaced(stored, R"("tickMs": 1)", R"("tickMs": 1e0)")) ==
        "'r.json' is no result: tickMs is not a time in milliseconds");
  CHECK(refusal(replaced(stored, R"("admitted": 60506)", R"("admitted": -1)")) ==
        "'r.json' is no result: policies[0].admitted is not a count");
  CHECK(refusal(replaced(stored, R"("admitted": 60506)", R"("admitted": "1")")) ==
        "'r.json' is no result: policies[0].admitted is not a number");
  CHECK(refusal(replaced(stored, R"("admitted": 60506)", R"("admitted": 60507)")) ==
        "'r.json' is no result: policies[0] does not add up to trace.requests");
  CHECK(refusal(replaced(stored, "\n    \"rows\": 64977", "\n    \"rows\": 64978")) ==
        "'r.json' is no result: trace.rows is not requests + bad + filtered");
  CHECK(refusal(replaced(stored, "\n    \"rows\": 64977", "\n    \"rows\": 3")) ==
        "'r.json' is no result: trace.rows is not requests + bad + filtered");
  CHECK(refusal(replaced(stored, R"("refusedRatio": 0.0688)", R"("refusedRatio": 0.07)")) ==
        "'r.json' is no result: policies[0].refusedRatio is unknown or contradicts the rest");
  CHECK(refusal(replaced(stored, R"("tickMs": 1)", R"("extra": 1, "tickMs": 1)")) ==
        "'r.json' is no result: extra is unknown or contradicts the rest");
}

TEST_CASE("every result is valid under the schema, and a damaged one is not") {
  const test::TemporaryFolder folder;
  int number = 0;
  for (const Result& result :
       {test::sample_result(), test::hostile_result(), test::extreme_result()}) {
    const std::string path = folder.write(fmt::format("{}.json", ++number), json_text(result));
    const int code = validate(path);
    if (code == kNoValidator) {
      MESSAGE("skipped: python3 has no jsonschema here");
      return;
    }
    CHECK_MESSAGE(code == 0, test::read_text(path + ".log"));
  }
  const std::string stored = json_text(test::sample_result());
  const std::pair<const char*, const char*> damages[] = {
      {R"("schemaVersion": "1.0")", R"("schemaVersion": "2.0")"},
      {R"("tickMs": 1,)", ""},
      {R"("tickMs": 1)", R"("tickMs": 1, "extra": 1)"},
      {R"("admitted": 60506)", R"("admitted": -1)"},
      {R"("clockMs": null)", R"("clockMs": null, "refill": "interval")"},
      {R"("round": "floor")", R"("round": "down")"},
      {R"("refusedRatio": 0.0688)", R"("refusedRatio": 1.5)"},
      {R"("delayMs": null)", R"("delayMs": 0)"},
  };
  for (const auto& [from, to] : damages) {
    CAPTURE(from);
    CHECK(validate(folder.write("damaged.json", replaced(stored, from, to))) == 1);
  }
}

}  // namespace ratereplay
