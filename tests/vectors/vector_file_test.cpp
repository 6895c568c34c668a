// SPDX-License-Identifier: Apache-2.0
#include "vectors/vector_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "error.hpp"
#include "run_program.hpp"
#include "vectors/generate.hpp"
#include "vectors/policy_decider.hpp"
#include "vectors/series.hpp"
#include "vectors/verify.hpp"

namespace ratereplay::test {
namespace {

/// A file of one case with these steps.
std::string with_steps(const std::string& steps) {
  return R"({"format": "ratereplay.vectors/1", "policy": "sliding-log:5/1s", "unit": "ms",
"cases": [{"name": "one", "steps": [)" +
         steps + "]}]}";
}

/// The message and the advice that a text is refused with; empty when it is not.
std::string refusal(const std::string& text) {
  try {
    (void)parse_vectors(text, "v.json");
    return {};
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    std::string said = error.what();
    if (error.diagnostic().place) said += " | " + error.diagnostic().place->at;
    for (const std::string& line : error.diagnostic().advice) said += " | " + line;
    return said;
  }
}

struct Refused {
  std::string text;
  const char* message;
};

}  // namespace

TEST_CASE("vectors: series say what they stand for") {
  CHECK(parse_series("900+10x3") == Series{900, 10, 3});
  CHECK(parse_series("-5x2") == Series{-5, 0, 2});
  CHECK(parse_series("0+0x1") == Series{0, 0, 1});
  for (const char* text :
       {"", "x", "900", "900x", "x3", "900x0", "900x-1", "900+-1x3", "900+x3", "900 x3", "9+1x3x",
        "900x3 ", "1.5x2", "+9x3", "99999999999999999999x2", "0x99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_series(text).has_value());
  }
  for (const Series& series : {Series{900, 10, 3}, Series{-5, 0, 2}}) {
    CHECK(parse_series(series_text(series)) == series);
  }
}

TEST_CASE("vectors: what is read is what stands there") {
  const VectorFile file = parse_vectors(with_steps(R"(
    {"at": "900+10x3", "cost": 1, "expect": {"admitted": true}},
    {"at": 930, "key": "k", "cost": 6, "expect": {"admitted": false, "remaining": 2,
     "retryAfter": null, "resetAt": null, "fullAt": -5, "delay": 0}},
    {"at": 931},
    [950, 2, false, 950], [951, 1, true], [952, 9, false, null])"),
                                        "v.json");
  REQUIRE(file.cases.size() == 1);
  const std::vector<VectorStep>& steps = file.cases[0].steps;
  REQUIRE(steps.size() == 8);
  CHECK(steps[2] == VectorStep{{920, "key", 1}, {.admitted = true}});
  CHECK(steps[3].request == Request{930, "k", 6});
  CHECK(steps[3].expect ==
        Answer{false, Told{.value = 2}, kNever, kNever, Told{.value = -5}, Told{.value = 0}});
  CHECK(steps[4].expect == Answer{});
  CHECK(steps[5].expect.retry_after == Told{.value = 950});
  CHECK_FALSE(steps[6].expect.retry_after.has_value());
  CHECK(steps[7].expect.retry_after == kNever);
}

TEST_CASE("vectors: JSON and CSV written and read again are the same") {
  VectorFile file{.unit = kMilliseconds};
  for (const char* text : {"sliding-counter:5/1s", "leaky-bucket:3/1s,capacity=2"}) {
    generate_cases(parse_policy(text, "test"), file);
  }
  file.cases[0].name = "quoted \"name\", with\nline";
  file.cases[0].note = "\xc3\xa4 \\ \t";
  for (const std::string& text : {vectors_json(file), vectors_csv(file)}) {
    const VectorFile again = parse_vectors(text, "again");
    CHECK(again.unit == file.unit);
    REQUIRE(again.cases.size() == file.cases.size());
    for (std::size_t i = 0; i < file.cases.size(); ++i) {
      CAPTURE(file.cases[i].name);
      CHECK(again.cases[i].name == file.cases[i].name);
      CHECK(again.cases[i].note == file.cases[i].note);
      CHECK(again.cases[i].policy.canonical == file.cases[i].policy.canonical);
      CHECK(again.cases[i].steps == file.cases[i].steps);
    }
    CHECK((text == vectors_json(again) || text == vectors_csv(again)));
  }
}

TEST_CASE("vectors: a broken JSON file is refused with its place") {
  const std::string whole = with_steps(R"({"at": 0, "expect": {"admitted": true}})");
  REQUIRE(refusal(whole).empty());
  const auto step = [](const char* text) { return with_steps(text); };
  const std::vector<Refused> all{
      {"", "'v.json' is empty"},
      {" \n", "'v.json' is empty"},
      {"{", "ends in the middle"},
      {whole.substr(0, whole.size() - 3), "ends in the middle"},
      {"{\n  \"unit\": ms}", "v.json:2:11"},
      {"[]", "the document is not an object"},
      {"{}", "unit is missing"},
      {R"({"unit": 5, "cases": []})", "unit is not a string"},
      {R"({"unit": "min", "cases": []})", "units: s, ms, us, ns"},
      {R"({"unit": "ms", "cases": {}})", "cases is not a list"},
      {R"({"unit": "ms", "cases": []})", "no step in 'v.json' expects anything"},
      {R"({"format": "ratereplay.vectors/2", "unit": "ms", "cases": []})",
       "this program reads ratereplay.vectors/1"},
      {R"({"unit": "ms", "cases": [{"steps": []}]})", "policy is missing"},
      {R"({"unit": "ms", "cases": [{"policy": "gcra", "steps": []}]})",
       "cases[0].policy is 'gcra'"},
      {R"({"unit": "ms", "policy": "gcra:5/1s,burst=3", "cases": [{"steps": []}]})",
       "write capacity=4"},
      {R"({"unit": "ms", "policy": true, "cases": [{"policy": "gcra:5/1s", "steps": [[0, 1, true]]}]})",
       "policy is not a string"},
      {R"({"unit": "ms", "policy": "gcra:5/1s", "cases": [{}]})", "cases[0].steps is missing"},
      {R"({"unit": "ms", "policy": "gcra:5/1s", "cases": [{"steps": []}]})",
       "cases[0].steps is empty"},
      {R"({"unit": "ms", "policy": "gcra:5/1s", "cases": [{"name": "", "steps": []}]})",
       "cases[0].name is empty"},
      {R"({"unit": "ms", "policy": "gcra:5/1s", "cases": [{"name": "a", "steps": [[0, 1, true]]},
          {"name": "a", "steps": [[0, 1, true]]}]})",
       "two cases of gcra:5/1s,capacity=5 are called 'a'"},
      {R"({"unit": "ms", "unit": "us", "cases": []})", "unit is given twice"},
      {R"({"unit": "ms", "case": []})", "did you mean 'cases'?"},
      {step(R"({"at": 0, "costs": 1})"), "cases[0].steps[0].costs is unknown"},
      {step(R"({"at": 0, "costs": 1})"), "did you mean 'cost'?"},
      {step(R"({"cost": 1})"), "steps[0].at is missing"},
      {step(R"({"at": "soon"})"), "steps[0].at is 'soon'"},
      {step(R"({"at": 0.5})"), "steps[0].at is not a whole number"},
      {step(R"({"at": 1e3})"), "steps[0].at is not a whole number"},
      {step(R"({"at": null})"), "steps[0].at is not a number"},
      {step(R"({"at": 9223372036855})"), "times are from -9223372036854 to 9223372036854 ms"},
      {step(R"({"at": "0+9223372036855x2"})"), "is beyond all time"},
      {step(R"({"at": 99999999999999999999})"), "steps[0].at"},
      {step(R"({"at": "0x2000000"})"), "more than 1000000 steps"},
      {step(R"({"at": 0, "cost": -1})"), "steps[0].cost is not from 0 to 4294967295"},
      {step(R"({"at": 0, "cost": 4294967296})"), "steps[0].cost is not from 0 to 4294967295"},
      {step(R"({"at": 0, "cost": "1"})"), "steps[0].cost is not a number"},
      {step(R"({"at": 0, "key": 7})"), "steps[0].key is not a string"},
      {step(R"({"at": 0, "expect": true})"), "steps[0].expect is not an object"},
      {step(R"({"at": 0, "expect": {"admit": true}})"), "did you mean 'admitted'?"},
      {step(R"({"at": 0, "expect": {"admitted": 1}})"), "admitted is not true or false"},
      {step(R"({"at": 0, "expect": {"remaining": null}})"), "remaining is null"},
      {step(R"({"at": 0, "expect": {"remaining": -1}})"), "remaining is below 0"},
      {step(R"({"at": 0, "expect": {"retryAfter": -1}})"), "retryAfter is below 0"},
      {step(R"({"at": 0, "expect": {"delay": 1.5}})"), "delay is not a whole number"},
      {step("[0, 1]"), "write [at, cost, admitted]"},
      {step("[0, 1, true, 5, 6]"), "steps[0] has 5 values"},
      {step("[0, 1, 1]"), "steps[0][2] is not true or false"},
      {step("7"), "steps[0] is not an object"},
      {std::string(100, '['), "nested deeper than 32 levels"},
      {with_steps("{\"at\": 0, \"key\": \"\xff\"}"), "is not JSON from byte"},
  };
  for (const Refused& one : all) {
    CAPTURE(one.text);
    const std::string said = refusal(one.text);
    CAPTURE(said);
    CHECK(said.find(one.message) != std::string::npos);
  }
}

TEST_CASE("vectors: a broken CSV file is refused with its place") {
  const std::string head = "policy,unit,at,cost,admitted,retryAfter\n";
  const std::string row = "gcra:5/1s,ms,0,1,true,\n";
  REQUIRE(refusal(head + row).empty());
  REQUIRE(refusal("\xef\xbb\xbfpolicy,unit,at,admitted\r\n\"gcra:5/1s\",ms,0,true").empty());
  const std::vector<Refused> all{
      {"hello\n", "there is no column 'hello'"},
      {"policy,unit,at,admited\n", "did you mean 'admitted'?"},
      {"policy,unit\n", "the column 'at' is missing"},
      {"policy,unit,at,at\n", "the column 'at' is there twice"},
      {head, "expects anything"},
      {head + "gcra:5/1s,ms,0\n", "v.json:2:1"},
      {head + row + "gcra:5/1s,ms,x,1,true,\n", "v.json:3:14"},
      {head + "gcra:5/1s,m,0,1,true,\n", "'m' is no unit"},
      {head + row + "gcra:5/1s,us,0,1,true,\n", "the unit changes from ms to us"},
      {"policy,unit,case,at,admitted\n" + std::string("gcra:5/1s,ms,a,0,true\n") +
           "gcra:5/1s,ms,b,0,true\ngcra:5/1s,ms,a,0,true\n",
       "two cases of gcra:5/1s,capacity=5 are called 'a'"},
      {head + "gcra:5,ms,0,1,true,\n", "'gcra:5' is no policy"},
      {head + "gcra:5/1s,ms,0,-1,true,\n", "'-1' is no cost"},
      {head + "gcra:5/1s,ms,0,1,yes,\n", "'yes' is not true or false"},
      {head + "gcra:5/1s,ms,0,1,true,-1\n", "'-1' is no retryAfter"},
      {head + "gcra:5/1s,ms,9223372036855,1,true,\n", "beyond all time"},
      {head + "\"gcra:5/1s,ms,0,1,true,\n", "the quotes of this field are not closed"},
      {head + "\"gcra:5/1s\"x,ms,0,1,true,\n", "text follows the closing quote"},
      {head + "gcra:5/1s,ms,0,1,\xff,\n", "not UTF-8"},
  };
  for (const Refused& one : all) {
    CAPTURE(one.text);
    const std::string said = refusal(one.text);
    CAPTURE(said);
    CHECK(said.find(one.message) != std::string::npos);
  }
}

TEST_CASE("vectors: every beginning of a file is read or refused") {
  VectorFile file{.unit = kMilliseconds};
  generate_cases(parse_policy("leaky-bucket:3/1s,capacity=2", "test"), file);
  for (const std::string& text : {vectors_json(file), vectors_csv(file)}) {
    for (std::size_t size = 0; size < text.size(); size += 7) {
      try {
        (void)parse_vectors(text.substr(0, size), "v.json");
      } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::kInput);
      }
    }
  }
}

TEST_CASE("vectors: the published numbers are read and hold") {
  const std::filesystem::path path =
      std::filesystem::path(RATEREPLAY_SOURCE_DIR) / ".." / "shared" / "vectors" / "reference.json";
  if (!std::filesystem::exists(path)) {
    MESSAGE("skipped: no ../shared/vectors/reference.json");
    return;
  }
  PolicyDecider ours;
  const FileVerdict verdict = verify(read_vectors(path.string()), "reference", ours);
  CHECK(verdict.cases.size() == 14);
  CHECK(verdict.differing() == 0);
  CHECK(verdict.admitted.expected == 73);
}

}  // namespace ratereplay::test
