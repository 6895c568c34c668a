// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "run_program.hpp"

namespace ratereplay::test {

TEST_CASE("policy list: the whole output") {
  const ProgramRun run = run_program({"policy", "list"});
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  CHECK(
      run.out ==
      "fixed-window     the simplest rule, where twice the limit across an edge does no harm\n"
      "                 anchor=epoch|first boundary=half-open|closed charge=admitted|attempted\n"
      "                 clock=DURATION\n"
      "                 16 bytes a key: the window and its count\n"
      "sliding-log      the limit kept exactly in every window, for 8 bytes a unit of limit and "
      "key\n"
      "                 boundary=half-open|closed charge=admitted|attempted clock=DURATION\n"
      "                 8 x limit bytes a key: an instant for every unit of the limit\n"
      "sliding-counter  close to the log for three numbers a key, where up to twice the limit is "
      "acceptable\n"
      "                 round=floor|exact|nearest|ceil anchor=epoch|first "
      "charge=admitted|attempted\n"
      "                 clock=DURATION\n"
      "                 24 bytes a key: the window, its count and the count before\n"
      "gcra             an even rate with a chosen capacity, for one number a key\n"
      "                 capacity=UNITS charge=admitted|attempted clock=DURATION\n"
      "                 8 bytes a key: the theoretical arrival time\n"
      "token-bucket     gcra under its usual name; refill=interval for gateways that refill in "
      "steps\n"
      "                 capacity=UNITS refill=continuous|interval charge=admitted|attempted "
      "clock=DURATION\n"
      "                 16 bytes a key: the tokens and when they were counted\n"
      "leaky-bucket     requests spaced out rather than refused: says how long each would wait in "
      "the queue\n"
      "                 capacity=UNITS mode=queue|meter charge=admitted|attempted clock=DURATION\n"
      "                 8 bytes a key: the theoretical arrival time; the queue comes on top\n"
      "\n"
      "Write algorithm:limit/window,option=value, such as sliding-counter:1k/1h,round=exact.\n"
      "Of an option's values the first is the default; capacity is the limit unless given.\n");
}

TEST_CASE("policy explain: the whole output") {
  const ProgramRun run = run_program({"policy", "explain", "sliding-counter:100/s"});
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  CHECK(run.out ==
        "canonical     sliding-counter:100/1s\n"
        "at once       100 units for a fresh key; a request that costs more is never admitted\n"
        "sustained     100 units every 1s: one every 10ms\n"
        "worst window  at most 200 units admitted for a key in any (t - 1s, t]\n"
        "refused       not charged: the state stays as it is\n"
        "retryAfter    until the count of the window before has faded far enough, rounded up to "
        "the run's\n"
        "              tick\n"
        "remaining     the largest cost that would be admitted now, rounded down\n"
        "memory        24 bytes a key: the window, its count and the count before\n"
        "              24 MB (24,000,000 bytes) for 1,000,000 keys\n"
        "note          the past is rounded down: a part of a unit is given away\n"
        "              windows begin at whole multiples of the window since the epoch\n");
}

TEST_CASE("policy explain: JSON has the numbers and the sentences") {
  const ProgramRun run =
      run_program({"policy", "explain", "api=sliding-log:100/1s", "-o", "json", "--keys", "1M"});
  CHECK(run.exit_code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["policy"] == "api");
  CHECK(json["canonical"] == "sliding-log:100/1s");
  CHECK(json["params"]["windowMs"] == 1000);
  CHECK(json["worstWindowMax"] == 100);
  CHECK(json["bytesPerKey"] == 800);
  CHECK(json["totalBytes"] == 800'000'000);
  CHECK(json["sentences"][0]["topic"] == "at once");
  CHECK(nlohmann::json::parse(run_program({"policy", "list", "-o", "json"}).out).size() == 6);
}

TEST_CASE("policy: an output goes to a file when one is named") {
  const TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  const ProgramRun run = run_program({"policy", "list", "-o", "json=" + path});
  CHECK(run.exit_code == 0);
  CHECK(run.out.empty());
  CHECK(read_text(path) == run_program({"policy", "list", "-o", "json"}).out);
}

TEST_CASE("policy: what is wrong is a usage error with advice") {
  const ProgramRun run = run_program({"policy", "explain", "gcra:10/1s,burst=20"});
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  CHECK(run.err ==
        "error: 'burst' means different things in different limiters\n"
        "  --> the policy, column 12:  gcra:10/1s,burst=20\n"
        "                                         ^^^^^^^^\n"
        "  write capacity=21 for nginx or redis-cell (the first request comes on top)\n"
        "  write capacity=20 for Envoy, Traefik or AWS (the size of the whole bucket)\n");
  CHECK(run_program({"policy"}).err ==
        "error: 'policy' needs a command\n"
        "  commands: list, explain\n"
        "  see: ratereplay policy --help\n");
  CHECK(run_program({"policy", "lst"}).err ==
        "error: unknown command 'lst'\n"
        "  did you mean 'list'?\n"
        "  see: ratereplay policy --help\n");
  CHECK(run_program({"polcy"}).err ==
        "error: unknown command 'polcy'\n"
        "  did you mean 'policy'?\n"
        "  see: ratereplay --help\n");
  CHECK(run_program({"policy", "explain"}).exit_code == 2);
  CHECK(run_program({"policy", "list", "-o", "jsn"}).err ==
        "error: unknown output format 'jsn'\n"
        "  did you mean 'json'?\n"
        "  formats here: table, json\n");
}

TEST_CASE("program: flags for every command stand before or after it") {
  CHECK(run_program({"--quiet", "policy", "list", "--color", "never"}).exit_code == 0);
  // A command's name is an argument like any other once a command is chosen.
  CHECK(run_program({"policy", "explain", "generate"}).err.starts_with("error: 'generate'") ==
        false);
  CHECK(run_program({"generate", "policy"}).err.starts_with("error: unknown model 'policy'"));
}

}  // namespace ratereplay::test
