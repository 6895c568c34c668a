// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace ratereplay::test {
namespace {

const std::string kTrace = RATEREPLAY_SOURCE_DIR "/traces/shop.csv";

/// A driver that admits everything and leaves what it is told in the file `heard`.
std::string admits_all(const std::string& heard) {
  return "tee '" + heard +
         "' | sed -u -e '/protocol/{s/.*/{\"ready\":true}/;b'"
         " -e '}' -e 's/.*/{\"admitted\":true}/'";
}

ProgramRun identify(std::vector<std::string> args) {
  args.insert(args.begin(), {"vectors", "identify", "-q"});
  return run_program(args);
}

std::vector<std::string> consistent(const ProgramRun& run) {
  return nlohmann::json::parse(run.out).at("consistent").get<std::vector<std::string>>();
}

TEST_CASE("identify: decisions of a run name the variant, as CSV and as lines of JSON") {
  const TemporaryFolder folder;
  for (const std::string policy :
       {"sliding-counter:10/1s,round=exact,charge=attempted", "sliding-log:10/1s",
        "fixed-window:10/1s,anchor=first", "token-bucket:10/1s,capacity=15,refill=interval"}) {
    CAPTURE(policy);
    const std::string csv = folder.path("decided.csv");
    const std::string ndjson = folder.path("decided.ndjson");
    REQUIRE(run_program({"run", kTrace, "-p", policy, "-o", "decisions.csv=" + csv, "-o",
                         "decisions.ndjson=" + ndjson})
                .exit_code == 0);
    for (const std::string& file : {csv, ndjson}) {
      std::vector<std::string> args{"--limit", "10/1s", file, "-o", "json"};
      if (policy.find("capacity") != policy.npos) args.insert(args.end(), {"--capacity", "15"});
      const ProgramRun run = identify(args);
      CAPTURE(run.err);
      REQUIRE(run.exit_code == 0);
      const std::vector<std::string> names = consistent(run);
      CHECK(std::count(names.begin(), names.end(), policy) == 1);
      // What the trace does not show, such as a request exactly one window after another.
      CHECK(names.size() <= 4);
    }
  }
}

TEST_CASE("identify: a log tells by its statuses what was refused") {
  const TemporaryFolder folder;
  const std::string csv = folder.path("decided.csv");
  REQUIRE(run_program({"run", kTrace, "-p", "sliding-log:10/1s", "-o", "decisions.csv=" + csv})
              .exit_code == 0);
  std::istringstream lines(read_text(csv));
  std::string log;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string row, at, key, cost, policy, admitted;
    for (std::string* field : {&row, &at, &key, &cost, &policy, &admitted}) {
      std::getline(fields, *field, ',');
    }
    log += "{\"time_ms\":" + at + ",\"user\":\"" + key + "\",\"cost\":" + cost +
           ",\"status\":" + (admitted == "true" ? "200" : "503") + "}\n";
  }
  const std::string path = folder.write("access.ndjson", log);
  const ProgramRun run = identify({"--limit", "5/1s", "--limit", "10/1s", "--refused-status", "503",
                                   "-k", "user", path, "-o", "json"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(consistent(run).front() == "sliding-log:10/1s");
  CHECK(consistent(run).size() <= 2);

  // Nobody was refused with 429: no limit of 10 a second was at work.
  const ProgramRun none = identify({"--limit", "10/1s", "-k", "user", path});
  CHECK(none.exit_code == 1);
  CHECK(none.out.find("None of the variants decides alike.") != std::string::npos);
  CHECK(none.out.find("NEAREST OF THE OTHERS, ruled out by") != std::string::npos);
}

TEST_CASE("identify: a driver that is none of the variants is exit code 1, and the output stable") {
  const std::string odd =
      "python3 -uc 'import sys\nfor i, line in enumerate(sys.stdin):\n"
      "  print(\"{\\\"ready\\\":true}\" if \"protocol\" in line else "
      "\"{\\\"admitted\\\":\" + (\"true\" if i % 3 else \"false\") + \"}\")'";
  const ProgramRun run = identify({"--limit", "5/1s", "--driver", odd, "-o", "json"});
  CAPTURE(run.err);
  CHECK(run.exit_code == 1);
  CHECK(consistent(run).empty());
  const auto document = nlohmann::json::parse(run.out);
  CHECK(document.at("decisions").get<int>() <= 200);
  CHECK(document.at("nearest").size() == 5);
  CHECK(identify({"--limit", "5/1s", "--driver", odd, "-o", "json"}).out == run.out);
}

TEST_CASE("identify: admitted is true or false in any case, or 1 or 0") {
  const TemporaryFolder folder;
  const std::string log = R"({"time_ms":0,"key":"a","admitted":YES}
{"time_ms":1,"key":"a","admitted":YES}
{"time_ms":2,"key":"a","admitted":NO}
{"time_ms":3,"key":"b","admitted":YES}
)";
  const std::string table = "time_ms,key,admitted\n0,a,YES\n1,a,YES\n2,a,NO\n3,b,YES\n";
  const auto with = [](std::string text, const std::string& yes, const std::string& no) {
    for (const auto& [word, value] : {std::pair{"YES", yes}, std::pair{"NO", no}}) {
      for (std::size_t at = text.find(word); at != text.npos; at = text.find(word)) {
        text.replace(at, std::string(word).size(), value);
      }
    }
    return text;
  };
  const auto refused = [&](const std::string& file) {
    const ProgramRun run = identify({"--limit", "2/1s", file, "-o", "json"});
    CAPTURE(run.err);
    CHECK(run.exit_code == 0);
    return nlohmann::json::parse(run.out).at("refused").get<int>();
  };
  for (const auto& [yes, no] :
       {std::pair{"true", "false"}, std::pair{"1", "0"}, std::pair{R"("True")", R"("FALSE")"}}) {
    CAPTURE(yes);
    CHECK(refused(folder.write("log.ndjson", with(log, yes, no))) == 1);
    CHECK(refused(folder.write("table.csv", with(table, yes, no))) == 1);
  }
  for (const char* no : {"maybe", "", "2"}) {
    CAPTURE(no);
    const ProgramRun run =
        identify({"--limit", "2/1s", folder.write("odd.csv", with(table, "true", no))});
    CHECK(run.exit_code == 3);
    CHECK(run.out.empty());
    CHECK(run.err.find("row 3 does not say whether it was admitted") != std::string::npos);
  }
  // A field of another file is no reason to count all as refused.
  const std::string all_refused = folder.write("all.csv", "time_ms,key,status\n0,a,429\n1,a,429\n");
  CHECK(identify({"--limit", "2/1s", all_refused}).out.find("2 decisions, 2 of them refusals") !=
        std::string::npos);
}

TEST_CASE("identify: decisions of several policies are not mixed") {
  const TemporaryFolder folder;
  const std::string csv = folder.path("decided.csv");
  REQUIRE(run_program({"run", kTrace, "-p", "mine=sliding-log:10/1s", "-p", "fixed-window:10/1s",
                       "-o", "decisions.csv=" + csv})
              .exit_code == 0);
  const ProgramRun mixed = identify({"--limit", "10/1s", csv});
  CHECK(mixed.exit_code == 2);
  CHECK(mixed.out.empty());
  CHECK(mixed.err.find("these are decisions of 2 policies: mine, fixed-window:10/1s") !=
        std::string::npos);
  CHECK(mixed.err.find("add --where 'policy = mine'") != std::string::npos);
  for (const auto& [name, limiter] : {std::pair{"mine", "sliding-log:10/1s"},
                                      std::pair{"fixed-window:10/1s", "fixed-window:10/1s"}}) {
    const ProgramRun one = identify(
        {"--limit", "10/1s", csv, "--where", std::string("policy = ") + name, "-o", "json"});
    CAPTURE(one.err);
    REQUIRE(one.exit_code == 0);
    CHECK(consistent(one).front() == limiter);
  }
}

TEST_CASE("identify: keys that are not UTF-8 are told apart by their bytes") {
  const TemporaryFolder folder;
  // Two keys, each granted one; the text of both is the same.
  const std::string log = folder.write(
      "bytes.ndjson",
      "{\"time_ms\":0,\"key\":\"\xef\xbf\xbd\",\"keyBase64\":\"/w==\",\"admitted\":true}\n"
      "{\"time_ms\":1,\"key\":\"\xef\xbf\xbd\",\"keyBase64\":\"/g==\",\"admitted\":true}\n"
      "{\"time_ms\":2,\"key\":\"plain\",\"admitted\":true}\n"
      "{\"time_ms\":3,\"key\":\"plain\",\"admitted\":false}\n");
  const ProgramRun run = identify({"--limit", "1/1s", log, "-o", "json"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const std::vector<std::string> names = consistent(run);
  CHECK(std::count(names.begin(), names.end(), "sliding-log:1/1s") == 1);
}

TEST_CASE("identify: what can be read only once is refused") {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : {pipe, folder.path("pip*"), std::string("/dev/null")}) {
    CAPTURE(path);
    const ProgramRun run = identify({"--limit", "10/1s", path});
    CHECK(run.exit_code == 2);
    CHECK(run.err.find("identify reads its files twice, and '") != std::string::npos);
  }
  const std::string csv = folder.write("a.csv", "time_ms,key,admitted\n0,a,true\n1,a,false\n");
  const ProgramRun pattern = identify({"--limit", "1/1s", folder.path("*.csv")});
  CHECK(pattern.exit_code == 0);
  CHECK(pattern.out.find("2 decisions, 1 of them refusals") != std::string::npos);
}

TEST_CASE("identify: the driver is told the capacity that is given") {
  const TemporaryFolder folder;
  const std::string heard = folder.path("heard");
  const std::string driver = admits_all(heard);
  const ProgramRun all = identify({"--limit", "5/1s", "--capacity", "20", "--driver", driver});
  CAPTURE(all.err);
  CHECK(read_text(heard).find("\"window\": 1000, \"capacity\": 20}") != std::string::npos);
  CHECK(all.out.find("No request was refused") != std::string::npos);
}

TEST_CASE("identify: a driver is told a unit in which its window is ten long at least") {
  const TemporaryFolder folder;
  const std::string heard = folder.path("heard");
  const std::string driver = admits_all(heard);
  struct Opening {
    const char* limit;
    const char* unit;
    const char* window;
  };
  for (const auto& [limit, unit, window] :
       {Opening{"5/10ms", "ms", "10"}, Opening{"5/9ms", "us", "9000"},
        Opening{"5/1ms", "us", "1000"}, Opening{"5/1500us", "us", "1500"},
        Opening{"5/9us", "ns", "9000"}, Opening{"5/3ns", "ns", "3"}}) {
    CAPTURE(limit);
    CHECK(identify({"--limit", limit, "--driver", driver}).exit_code <= 1);
    const std::string told = read_text(heard);
    CHECK(told.find(std::string("\"unit\": \"") + unit + '"') != std::string::npos);
    CHECK(told.find(std::string("\"window\": ") + window) != std::string::npos);
  }
}

TEST_CASE("identify: the warning of refusals advises what helps here, and a limit counts once") {
  const TemporaryFolder folder;
  const std::string log = folder.write("log.csv", "time_ms,key,status\n0,a,200\n1,a,429\n");
  const ProgramRun run = run_program({"vectors", "identify", "--limit", "1/1s", log});
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("--refused-status 429,503") != std::string::npos);
  CHECK(run.err.find("--exclude-status") == std::string::npos);
  CHECK(run.out.find("No request was refused") == std::string::npos);
  CHECK(identify({"--limit", "1/1s", "--limit", "1/1000ms", log}).out ==
        identify({"--limit", "1/1s", log}).out);
  const ProgramRun odd = identify({"--limit", "1/1s", log, "--refused-status", "many"});
  CHECK(odd.exit_code == 2);
  CHECK(odd.err.find("--refused-status many: not status codes") != std::string::npos);
  CHECK(odd.err.find("--exclude-status") == std::string::npos);
}

TEST_CASE("identify: what cannot be done is said") {
  const TemporaryFolder folder;
  const std::string file = folder.write("plain.csv", "time_ms,key\n0,a\n");
  const auto said = [](const ProgramRun& run, const std::string& what) {
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(run.err.find(what) != std::string::npos);
  };
  said(identify({file}), "identify needs the limit of the limiter");
  said(identify({"--limit", "5/1s"}), "identify needs decisions: from files, or from a driver");
  said(identify({"--limit", "5/1s", file, "--driver", "cat"}), "identify needs decisions");
  said(identify({"--limit", "5", file}), "the limit '5' needs a window");
  said(identify({"--limit", "5/1s", file}), "no field says what was admitted");
  said(identify({"--limit", "5/1s", "-"}), "identify reads its files twice");
  said(identify({"--limit", "5/1s", "--limit", "6/1s", "--driver", "cat"}),
       "a driver is asked for one limit at a time");
  said(identify({"--limit", "5/1s", "--capacity", "0", file}), "--capacity 0: it is 1 at least");
  const ProgramRun dead = identify({"--limit", "5/1s", "--driver", "exit 3"});
  CHECK(dead.exit_code == 3);
  CHECK(dead.err.find("the driver ended with exit code 3") != std::string::npos);
  CHECK(identify({"--limit", "5/1s", folder.path("none.csv")}).exit_code == 3);
}

}  // namespace
}  // namespace ratereplay::test
