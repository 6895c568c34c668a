// SPDX-License-Identifier: Apache-2.0
#include "trace/json.hpp"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/json_picker.hpp"
#include "trace/json_scan.hpp"
#include "trace/read_text.hpp"

namespace ratereplay::testing {
namespace {

constexpr std::int64_t kMs = 1'000'000;
using Keys = std::vector<std::string>;
using Bad = std::vector<std::string>;

ReadFlags flags(const char* format) { return flags_of(format, "t", "epoch-ms", "k", ""); }

Keys keys(const ReadResult& result) {
  Keys keys;
  for (const ReadRow& row : result.requests) keys.push_back(row.key);
  return keys;
}

/// What picking `name` from the object gives: "kind:text".
std::string pick(std::string_view object, const char* name) {
  const std::string text = std::string(object) + std::string(64, ' ');
  JsonPicker picker({WantedField{name, std::nullopt}});
  RowBatch batch;
  if (!picker.pick(std::string_view(text).substr(0, object.size()), batch)) {
    return "fault:" + std::string(picker.reason());
  }
  constexpr std::string_view kKinds[] = {"missing", "null", "text", "number", "other"};
  const Cell& cell = picker.cells()[0];
  return std::string(kKinds[static_cast<std::size_t>(cell.kind)]) + ":" + std::string(cell.text);
}

TEST_CASE("json: names are whole names first, then paths") {
  CHECK(pick(R"({"a":{"b":1},"a.b":2})", "a.b") == "number:2");
  CHECK(pick(R"({"a":{"b":1}})", "a.b") == "number:1");
  CHECK(pick(R"({"a":{"b.c":1}})", "a.b.c") == "number:1");
  CHECK(pick(R"({"a":{"b":{"c":1}}})", "a.b.c") == "number:1");
  CHECK(pick(R"({"ab":1})", "a.b") == "missing:");
  CHECK(pick(R"({"a":null})", "a.b") == "missing:");
  CHECK(pick(R"({"a":{"b":{}}})", "a.b") == "other:{}");
}

TEST_CASE("json: lists are entered by index, from either end") {
  CHECK(pick(R"({"a":[1,2,3]})", "a[0]") == "number:1");
  CHECK(pick(R"({"a":[1, "x" ,3 ]})", "a[-2]") == "text:x");
  CHECK(pick(R"({"a":[1,2,3]})", "a[3]") == "missing:");
  CHECK(pick(R"({"a":[]})", "a[-1]") == "missing:");
  CHECK(pick(R"({"a":[{"b":[[4]]}]})", "a[0].b[0][0]") == "number:4");
  CHECK(pick(R"({"a":"10.0.0.1, 10.0.0.2"})", "a[-1]") == "text:10.0.0.2");
  CHECK(pick(R"({"a":"10.0.0.1"})", "a[0]") == "text:10.0.0.1");
  CHECK(pick(R"({"a[0]":5,"a":[1]})", "a[0]") == "number:5");
}

TEST_CASE("json: the first of two members with one name counts") {
  CHECK(pick(R"({"a":1,"a":2})", "a") == "number:1");
}

TEST_CASE("json: values keep their kind and their digits") {
  CHECK(pick(R"({"a":1.50e+2})", "a") == "number:1.50e+2");
  CHECK(pick(R"({"a":-0})", "a") == "number:-0");
  CHECK(pick(R"({"a":12345678901234567890123})", "a") == "number:12345678901234567890123");
  CHECK(pick(R"({"a":null})", "a") == "null:null");
  CHECK(pick(R"({"a":true})", "a") == "other:true");
  CHECK(pick(R"({"a":[1, 2]})", "a") == "other:[1, 2]");
  CHECK(pick(R"({})", "a") == "missing:");
}

TEST_CASE("json: escapes are undone, in names too") {
  CHECK(pick(R"({"a":"x\"\\\/\b\f\n\r\ty"})", "a") == "text:x\"\\/\b\f\n\r\ty");
  CHECK(pick(R"({"a":"\u0041\u00e4\u20AC\ud83d\ude00"})", "a") ==
        "text:A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(pick(R"({"\u0061":"b"})", "a") == "text:b");
  CHECK(pick(R"({"a":"\ud800x"})", "a") == "text:\xed\xa0\x80x");
}

TEST_CASE("json: bytes that are not UTF-8 pass") {
  CHECK(pick("{\"a\":\"\xff\xfe\"}", "a") == "text:\xff\xfe");
}

TEST_CASE("json: what is not JSON is refused with its reason") {
  CHECK(pick(R"({"a":1,})", "a") == "fault:a name in quotes belongs here");
  CHECK(pick(R"({"a":1 "b":2})", "a") == "fault:a comma or a closing bracket belongs here");
  CHECK(pick(R"({"a" 1})", "a") == "fault:a colon belongs here");
  CHECK(pick(R"({"a":"x)", "a") == "fault:the string that starts here is not closed");
  CHECK(pick(R"({"a":1} x)", "a") == "fault:text after the end of the object");
  CHECK(pick(R"({"a":01})", "a") == "fault:a comma or a closing bracket belongs here");
  CHECK(pick(R"({"b":[1,],"a":1})", "a").starts_with("fault:"));
  CHECK(pick("{\"a\":\"\t\"}", "a") == "fault:a control character inside a string");
  CHECK(pick(R"([1])", "a") == "fault:a record must be an object");
  CHECK(pick(std::string(5000, '['), "a").starts_with("fault:"));
  CHECK(pick("{\"a\":" + std::string(5000, '['), "b") == "fault:nested too deeply");
}

std::string random_json(std::mt19937& random, int depth) {
  const auto pick_one = [&](std::initializer_list<const char*> list) {
    return std::string(list.begin()[random() % list.size()]);
  };
  if (depth == 0 || random() % 3 == 0) {
    return pick_one({"1", "-2.5e3", "0", "01", "1.", "true", "null", "nul", "\"a\"", "\"\\n\"",
                     "\"\\x\"", "\"\\u12aF\"", "\"\\u12g4\"", "\"\xc3\xa4\"", "", "-", "1e5"});
  }
  const bool list = random() % 2 == 0;
  std::string text = list ? "[" : "{";
  const int count = static_cast<int>(random() % 4);
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += pick_one({",", ",", ",", ",", " , ", ""});
    if (!list) text += pick_one({"\"a\":", "\"b\": ", "\"c\" :", "\"a\":", "\"a\"", "b:"});
    text += random_json(random, depth - 1);
  }
  return text + (random() % 30 == 0 ? pick_one({"", "}", "]"}) : list ? "]" : "}");
}

TEST_CASE("json: accepts what simdjson accepts") {
  std::mt19937 random(7);
  simdjson::dom::parser parser;
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = "{\"x\":" + random_json(random, 3) + "}";
    const std::string padded = text + std::string(64, ' ');
    simdjson::dom::element element;
    const bool expected =
        parser.parse(simdjson::padded_string(text)).get(element) == simdjson::SUCCESS;
    JsonScanner scanner(std::string_view(padded).substr(0, text.size()));
    const bool sound = scanner.skip_value() && scanner.next() == '\0';
    CAPTURE(text);
    REQUIRE(sound == expected);
    if (sound) ++accepted;
    CHECK(pick(text, "y").starts_with("fault:") == !expected);
  }
  CHECK(accepted > 1000);
}

TEST_CASE("ndjson: a line is a row, a blank line or a # line is none") {
  const ReadResult result = read_text_in_all_blocks(
      "{\"t\":1,\"k\":\"a\"}\n\n# x\r\n \r\n{\"t\":\"2\",\"k\":\"b\"}\r\n{\"k\":\"c\",\"t\":3}",
      flags("ndjson"));
  CHECK(result.requests ==
        std::vector<ReadRow>{{1, kMs, "a", 1}, {2, 2 * kMs, "b", 1}, {3, 3 * kMs, "c", 1}});
  CHECK(result.lines == 5);
}

TEST_CASE("ndjson: final line feeds make no rows") {
  const std::string text = "{\"t\":1,\"k\":\"a\"}\n{\"t\":2,\"k\":\"b\"}";
  const auto rows = read_text(text, flags("ndjson")).requests;
  CHECK(rows.size() == 2);
  CHECK(read_text(text + "\n", flags("ndjson")).requests == rows);
  CHECK(read_text(text + "\n\n", flags("ndjson")).requests == rows);
  CHECK(read_text(text + "\n\n", flags("ndjson")).rows == 2);
}

TEST_CASE("ndjson: an unclosed string spoils its own line alone") {
  const ReadResult result = read_text_in_all_blocks(
      "{\"t\":1,\"k\":\"a\"}\n{\"t\":2,\"k\":\"b}\n{\"t\":3,\"k\":\"c\"}\n", flags("ndjson"));
  CHECK(keys(result) == Keys{"a", "c"});
  CHECK(result.bad_rows == Bad{"2:12 syntax the string that starts here is not closed"});
}

TEST_CASE("ndjson: broken ends and list punctuation are bad rows") {
  const ReadResult result = read_text_in_all_blocks(
      "t\": 1}\n{\"t\": 1,\"k\":\"a\"}\n{\"t\":2,\"k\":\"b\"},\n[\n{\"w", flags("ndjson"));
  CHECK(keys(result) == Keys{"a"});
  CHECK(result.rows == 5);
  CHECK(result.bad_rows == Bad{"1:1 syntax a record must be an object",
                               "3:16 syntax text after the end of the object",
                               "4:1 syntax a record must be an object"});
}

TEST_CASE("ndjson: a time is a number or a text; null and no time are told apart") {
  const ReadResult result =
      read_text_in_all_blocks("{\"t\":1}\n{\"t\":\"1\"}\n{\"t\":null}\n{}\n",
                              flags_of("ndjson", "t", "epoch-ms", "none", ""));
  REQUIRE(result.requests.size() == 2);
  CHECK(result.requests[0].at == result.requests[1].at);
  REQUIRE(result.bad_rows.size() == 2);
  CHECK(result.bad_rows[0] == "3:6 timestamp the time is null");
  CHECK(result.bad_rows[1] == "4:1 timestamp the time is missing");
}

TEST_CASE("ndjson: a line above 16 MiB is one bad row, whatever the blocks") {
  const std::string text = "{\"t\":1,\"k\":\"a\"}\n{\"t\":2,\"k\":\"" +
                           std::string(std::size_t{16} << 20, 'b') +
                           "\"}\n{\"t\":3,\"k\":\"c\"}\n{}\n";
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{1} << 20, std::size_t{40} << 20}) {
    const ReadResult result = read_text(text, flags("ndjson"), bytes);
    CHECK(keys(result) == Keys{"a", "c"});
    CHECK(result.bad_rows ==
          Bad{"2:1 length longer than 16 MiB", "4:1 timestamp the time is missing"});
  }
}

TEST_CASE("ndjson: a list over a line end does not join two lines") {
  const std::string good = "{\"t\":1,\"l\":[1,2],\"k\":\"a\"}\n";
  const ReadResult result = read_text_in_all_blocks(
      good + good + "{\"t\":2,\"l\":[1,\n2],\"k\":\"b\"}\n" + good, flags("ndjson"));
  CHECK(result.rows == 5);
  CHECK(result.all_bad() == 2);
}

TEST_CASE("json: the elements of a list are rows, each with its line and column") {
  const ReadResult result = read_text_in_all_blocks(
      "[{\"t\":1,\"k\":\"a\"},{\"t\":2,\"k\":\"b\"}, 7,\n  {\"t\":\"x\",\"k\":\"c\"},\n"
      " {\n  \"t\": 5,\n  \"k\": \"d]\"\n }\n]\n",
      flags("json"));
  CHECK(keys(result) == Keys{"a", "b", "d]"});
  CHECK(result.rows == 5);
  CHECK(result.lines == 7);
  REQUIRE(result.bad_rows.size() == 2);
  CHECK(result.bad_rows[0] == "1:35 syntax a record must be an object");
  CHECK(result.bad_rows[1].starts_with("2:8 timestamp "));
}

TEST_CASE("json: a list in an object, with members around it") {
  const ReadResult result = read_text_in_all_blocks(
      "\xef\xbb\xbf{\"made\": {\"by\": [1]}, \"rows\": "
      "[\n{\"t\":1,\"k\":\"a\"},\n{\"t\":2,\"k\":\"b\"}\n],"
      " \"end\": {\"k\": [{}]}}\n",
      flags_of("", "t", "epoch-ms", "k", ""));
  CHECK(result.format == "json");
  CHECK(keys(result) == Keys{"a", "b"});
  CHECK(result.error.empty());
  CHECK(result.truncation.empty());
  CHECK(result.lines == 4);
}

TEST_CASE("json: a document that is cut off is never a clean end") {
  const std::string text = "[{\"t\":1,\"k\":\"a\"},{\"t\":2,\"k\":\"b\"},{\"t\":3,\"k\":\"c\"}]";
  for (std::size_t size = 18; size < text.size(); ++size) {
    const ReadResult result = read_text_in_all_blocks(text.substr(0, size), flags("json"));
    CAPTURE(size);
    CHECK(result.truncation.ends_with("the file ends inside the JSON list"));
    CHECK(result.requests.size() >= 1);
  }
  CHECK(read_text(text, flags("json")).truncation.empty());
  const ReadResult wrapped =
      read_text_in_all_blocks("{\"rows\":[{\"t\":1,\"k\":\"a\"}]", flags("json"));
  CHECK(wrapped.truncation.ends_with("the file ends inside the JSON document"));
}

TEST_CASE("json: two lists, or text behind the document, are errors") {
  CHECK(read_text_in_all_blocks("{\"a\":[{\"t\":1,\"k\":\"a\"}],\"b\":[ {\"t\":1}]}", flags("json"))
            .error == "the JSON document holds more than one list of objects");
  CHECK(read_text_in_all_blocks("[{\"t\":1,\"k\":\"a\"}]\n[{\"t\":1}]", flags("json")).error ==
        "something follows the end of the JSON document");
}

TEST_CASE("json: a broken element spoils itself, an empty one is bad") {
  const ReadResult result = read_text_in_all_blocks(
      "[{\"t\":1,\"k\":\"a\"},{\"t\":2 \"k\":\"b\"},,{\"t\":3,\"k\":\"c\"}]", flags("json"));
  CHECK(keys(result) == Keys{"a", "c"});
  CHECK(result.rows == 4);
  CHECK(result.bad_rows == Bad{"1:25 syntax a comma or a closing bracket belongs here",
                               "1:34 syntax a record must be an object"});
}

TEST_CASE("json: which of the two it is shows in the text") {
  const auto found = [](std::string_view text) {
    const Sample sample{text, true};
    const int lines = ndjson_format().recognise(sample).score;
    const int list = json_format().recognise(sample).score;
    return lines == list ? "neither" : lines > list ? "ndjson" : "json";
  };
  CHECK(std::string(found("{\"a\":1}\n{\"a\":2}\n")) == "ndjson");
  CHECK(std::string(found("{\"a\":1}")) == "ndjson");
  CHECK(std::string(found("{\"a\":1,\"l\":[{\"b\":1}]}\n")) == "ndjson");
  CHECK(std::string(found("{\"l\":[{\"b\":1}]}\n{\"l\":[{\"b\":1}]}\n")) == "ndjson");
  CHECK(std::string(found("{\"Records\":[{\"b\":1}]}\n")) == "json");
  CHECK(std::string(found("[{\"a\":1}]")) == "json");
  CHECK(std::string(found("[\n{\"a\":1},\n{\"a\":1}\n]")) == "json");
  CHECK(std::string(found("[08/Feb/2017:14:32:15 +0100] x")) == "neither");
  CHECK(std::string(found("a,b\n1,2\n")) == "neither");
}

}  // namespace
}  // namespace ratereplay::testing
