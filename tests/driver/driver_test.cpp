// SPDX-License-Identifier: Apache-2.0
#include "driver/driver.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "error.hpp"
#include "run_program.hpp"

namespace ratereplay {
namespace {

using std::chrono::milliseconds;

const PolicySpec kPolicy = parse_policy("sliding-log:2/1s", "test");

/// Of a driver written in shell: what it says to `requests` requests, or the message.
std::string conversation(const std::string& script, int requests,
                         Duration timeout = std::chrono::seconds{20}) {
  std::string heard;
  try {
    Driver driver(script, timeout);
    driver.open(kPolicy, kMilliseconds);
    for (int i = 0; i < requests; ++i) {
      const Answer answer = driver.decide({10 * i, "a", 1});
      heard += *answer.admitted ? 'y' : 'n';
    }
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    const std::string& at = error.diagnostic().place->at;
    heard += error.diagnostic().message + '|';
    heard += at.find("at the opening line") != at.npos ? "opening" : "";
    for (int i = 1; i <= requests; ++i) {
      const std::string name = "at request " + std::to_string(i);
      if (at.find(name) != at.npos) heard += name;
    }
  }
  return heard;
}

const std::string kReady = R"(read -r line; echo '{"ready":true}'; )";
const std::string kYes = R"(read -r line; echo '{"admitted":true}'; )";

TEST_CASE("driver: one line in, one line out") {
  CHECK(conversation(kReady + kYes + kYes + R"(read -r line; echo '{"admitted":false}')", 3) ==
        "yyn");
  CHECK(conversation(R"(read -r line; printf '{"ready":true}\r\n'; )" + kYes, 1) == "y");
  // What it writes to standard error is nobody's answer.
  CHECK(conversation(R"(exec 2>/dev/null; echo hello >&2; )" + kReady + kYes, 1) == "y");
}

TEST_CASE("driver: whatever goes wrong is a message that names the request") {
  CHECK(conversation("exit 7", 1) == "the driver ended with exit code 7|opening");
  CHECK(conversation("exec 2>/dev/null; no-such-program-here", 1) ==
        "the driver ended with exit code 127|opening");
  CHECK(conversation(kReady + kYes + "read -r line; exit 3", 2) ==
        "ythe driver ended with exit code 3|at request 2");
  CHECK(conversation(kReady + "kill -9 $$", 1) ==
        "the driver was ended by signal 9 (Killed)|at request 1");
  CHECK(conversation(kReady + R"(read -r line; printf '{"admit'; exit 1)", 1) ==
        "the driver ended with exit code 1 in the middle of a line: '{\"admit'|at request 1");
  CHECK(conversation(kReady + "read -r line; echo nonsense; cat", 1) ==
        "the driver wrote a line that is not JSON: 'nonsense'|at request 1");
  CHECK(conversation("read -r line; echo '{\"admitted\":true}'; cat", 1) ==
        "the driver answered the opening line with '{\"admitted\":true}'|opening");
  CHECK(conversation(kReady + "read -r line; echo '{\"error\":\"no gcra here\"}'", 1) ==
        "the driver reports an error: no gcra here|at request 1");
  CHECK(conversation(
            kReady + R"(read -r line; echo '{"admitted":true}'; echo more; sleep 1; )" + kYes, 1) ==
        "y");
}

TEST_CASE("driver: a line that nobody asked for") {
  Driver driver(kReady + R"(read -r line; printf '{"admitted":true}\nmore\n'; cat)");
  driver.open(kPolicy, kMilliseconds);
  CHECK(*driver.decide({0, "a", 1}).admitted);
  CHECK_THROWS_WITH(static_cast<void>(driver.decide({0, "a", 1})),
                    "the driver wrote a line that nobody asked for: 'more'");
}

TEST_CASE("driver: one that lags is ended, with all that it has started") {
  const test::TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const std::string lags = "sleep 60 & echo $! > '" + folder.path("pid") + "'; " + kReady + "wait";
  CHECK(conversation(lags, 1, milliseconds{300}) ==
        "the driver did not answer within 300ms|at request 1");
  CHECK(conversation("sleep 60", 1, milliseconds{100}) ==
        "the driver did not answer within 100ms|opening");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{15});
  pid_t sleeper = 0;
  std::ifstream(folder.path("pid")) >> sleeper;
  REQUIRE(sleeper > 0);
  for (int i = 0; i < 500 && kill(sleeper, 0) == 0; ++i) usleep(10'000);
  CHECK(kill(sleeper, 0) != 0);
}

TEST_CASE("driver: one that never stops writing is ended") {
  CHECK(conversation(kReady + "tr '\\0' x < /dev/zero", 1) ==
        "the driver wrote a line without end|at request 1");
}

TEST_CASE("driver: one that stays after its input is closed is ended") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(conversation(kReady + kYes + "sleep 60", 1) == "y");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{15});
}

TEST_CASE("driver: many requests may be on their way, more than a pipe holds") {
  // Answers nothing before it has read everything.
  constexpr int kRequests = 20'000;
  Driver driver(R"(exec python3 -c '
import sys
sys.stdin.readline()
print("{\"ready\":true}", flush=True)
for _ in range(20000): sys.stdin.readline()
print("{\"admitted\":true}\n" * 20000, end="")')");
  driver.open(kPolicy, kMilliseconds);
  for (int i = 0; i < kRequests; ++i) driver.send({i, std::string(100, 'k'), 1});
  CHECK(driver.waiting() == kRequests);
  for (int i = 0; i < kRequests; ++i) REQUIRE(*driver.receive().admitted);
  CHECK(driver.waiting() == 0);
}

}  // namespace
}  // namespace ratereplay
