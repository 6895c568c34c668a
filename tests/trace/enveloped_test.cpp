// SPDX-License-Identifier: Apache-2.0
#include "trace/enveloped.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "trace/read_text.hpp"

namespace ratereplay::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMidnight = 1'767'312'000 * kSecond;  // 2026-01-02

using Rows = std::vector<ReadRow>;
using Bad = std::vector<std::string>;

std::string access(int second, const char* ip = "192.0.2.1") {
  return fmt::format(R"({} - - [02/Jan/2026:00:00:{:02} +0000] "GET / HTTP/1.1" 200 5 "-" "x")", ip,
                     second);
}

std::string cri(const std::string& line, const char* tag = "stdout F") {
  return fmt::format("2026-01-02T00:00:09.123456789Z {} {}\n", tag, line);
}

std::string message(const std::string& text, const ReadFlags& flags) {
  try {
    read_text(text, flags);
  } catch (const Error& error) {
    return error.diagnostic().message;
  }
  return {};
}

TEST_CASE("cri: the lines inside are of any format that is read line by line") {
  const ReadResult result =
      read_text_in_all_blocks(cri(access(1)) + cri(access(2, "192.0.2.2"), "stderr F") + cri("") +
                                  "\n# note\n" + cri(access(3)),
                              {});
  CHECK(result.format == "cri+combined");
  CHECK(result.requests == Rows{{1, kMidnight + kSecond, "192.0.2.1", 1},
                                {2, kMidnight + 2 * kSecond, "192.0.2.2", 1},
                                {3, kMidnight + 3 * kSecond, "192.0.2.1", 1}});
  const ReadResult json =
      read_text_in_all_blocks(cri(R"({"ts":"2026-01-02T00:00:01Z","ip":"192.0.2.1"})"), {});
  CHECK(json.format == "cri+ndjson");
  CHECK(json.requests == Rows{{1, kMidnight + kSecond, "192.0.2.1", 1}});
}

TEST_CASE("cri: the parts of a line are joined, each stream for itself") {
  const std::string line = access(1);
  const ReadResult result = read_text_in_all_blocks(
      cri(access(0)) + cri(line.substr(0, 9), "stdout P") +
          cri(access(5).substr(0, 3), "stderr P") + cri(line.substr(9, 20), "stdout P:x") +
          cri(line.substr(29)) + cri(access(5).substr(3), "stderr F") + cri("nonsense"),
      {});
  CHECK(result.requests == Rows{{1, kMidnight, "192.0.2.1", 1},
                                {2, kMidnight + kSecond, "192.0.2.1", 1},
                                {3, kMidnight + 5 * kSecond, "192.0.2.1", 1}});
  REQUIRE(result.bad_rows.size() == 1);
  CHECK(result.bad_rows[0].starts_with("7:"));
}

TEST_CASE("cri: a part without the rest is a bad row, and so is a line without the prefix") {
  const std::string big(600'000, 'x');
  const ReadResult result = read_text_in_all_blocks(
      cri(access(0)) + cri(access(1).substr(0, 9), "stdout P") + cri(big, "stderr P") +
          cri(big, "stderr F") + cri(access(2)) + access(3) + "\n" + cri(access(4), "stdout P"),
      {});
  CHECK(result.requests ==
        Rows{{1, kMidnight, "192.0.2.1", 1}, {5, kMidnight + 2 * kSecond, "192.0.2.1", 1}});
  // The second line and the third began a group that does not end within 1 MiB.
  CHECK(result.bad_rows == Bad{"2:1 syntax the rest of the line does not come",
                               "3:1 syntax the rest of the line does not come",
                               "6:1 syntax not a line of a container log (CRI)"});
  CHECK(result.all_bad() == 4);
  CHECK(result.filtered == 1);
}

TEST_CASE("cri: what is no request on standard error is left out, on standard output it is bad") {
  const std::string error = "2026/01/02 00:00:01 [error] 7#7: *1 open() failed";
  const ReadResult result = read_text_in_all_blocks(
      cri(access(1)) + cri(error, "stderr F") + cri(access(2)) + cri(error) + cri(access(3)), {});
  CHECK(result.rows == 5);
  CHECK(result.requests.size() == 3);
  CHECK(result.filtered == 1);
  CHECK(result.all_bad() == 1);
}

TEST_CASE("cri: bad rows are told at their place in the file") {
  const std::string json = R"({"ts":"2026-01-02T00:00:01Z","ip":"192.0.2.1"})";
  const std::string prefix = "2026-01-02T00:00:09.123456789Z stdout F ";
  const ReadResult result = read_text_in_all_blocks(
      cri(json) + cri(json) + cri(R"({"ts":"x","ip":"192.0.2.1"})") + cri(R"({"ts":)"), {});
  CHECK(result.bad_rows ==
        Bad{fmt::format("3:{} timestamp not an RFC 3339 time", prefix.size() + 7),
            fmt::format("4:{} syntax the record ends here", prefix.size() + 7)});
}

TEST_CASE("docker: texts are unescaped and parts joined") {
  const auto docker = [](const std::string& log, const char* stream = "stdout") {
    return fmt::format(R"({{"log":"{}","stream":"{}","time":"2026-01-02T00:00:09.5Z"}})", log,
                       stream) +
           "\n";
  };
  const auto escaped = [](std::string line) {
    for (std::size_t at = 0; (at = line.find('"', at)) != line.npos; at += 2) line.insert(at, "\\");
    return line;
  };
  const std::string line = escaped(access(1));
  const ReadResult result = read_text_in_all_blocks(
      docker(escaped(access(0)) + "\\n") + docker(line.substr(0, 9)) +
          docker(line.substr(9) + "\\r\\n") + docker("warning\\n", "stderr") +
          docker(R"(a backslash and an n: \\n)") + docker("\\n") + "{\"level\": 1}\n",
      {});
  CHECK(result.format == "docker+combined");
  CHECK(result.requests ==
        Rows{{1, kMidnight, "192.0.2.1", 1}, {2, kMidnight + kSecond, "192.0.2.1", 1}});
  CHECK(result.filtered == 1);
  CHECK(result.all_bad() == 2);
  CHECK(result.rows == 5);

  const ReadResult text = read_text_in_all_blocks(docker("hello\\n") + docker("you\\n", "stderr"),
                                                  flags_of("", "", "", "stream", ""));
  CHECK(text.format == "ndjson");  // of no format inside, the outside is all there is
  CHECK(text.requests.size() == 2);
}

TEST_CASE("caddy: lines for a console are read by their object and the time before it") {
  const std::string row =
      "2026/01/02 00:00:01.541\tinfo\thttp.log.access\thandled request\t"
      R"({"request": {"remote_addr": "192.0.2.1:4711", "method": "GET"}, "size": 5})"
      "\n";
  const ReadResult result = read_text_in_all_blocks(
      row + "2026/01/02 00:00:02.000\tinfo\tautosaved config\t{\"file\": \"a.json\"}\n" +
          "2026/01/02 00:00:02.100\twarn\tno object\n" + row +
          "2026/01/02 00:00:03\tinfo\tx\t{}\n" +
          "2026/01/02 00:00:03.1\tinfo\tx\ty\t{\"request\": 1, \n",
      {});
  CHECK(result.format == "caddy+ndjson");
  CHECK(result.requests == Rows{{1, kMidnight + kSecond + 541'000'000, "192.0.2.1", 1},
                                {4, kMidnight + kSecond + 541'000'000, "192.0.2.1", 1}});
  CHECK(result.filtered == 3);
  CHECK(result.all_bad() == 1);
  CHECK(result.bad_rows[0].starts_with("6:"));
}

TEST_CASE("syslog: the line behind the tag or the structured data is read") {
  for (const char* const prefix :
       {"<190>Jan  2 03:04:05 host nginx: ", "Jan 12 03:04:05 host nginx[7]: ",
        "2026-01-02T03:04:05.1+01:00 host nginx: ", "<190>1 2026-01-02T03:04:05Z host nginx 7 - - ",
        R"(<14>1 - - - - - [a b="x] \"y"][c d="e"] )"}) {
    CAPTURE(prefix);
    const ReadResult result = read_text_in_all_blocks(
        prefix + access(1) + "\n" + "<38>Jan  2 03:04:05 host sshd[7]: session opened\n" + prefix +
            access(2) + "\n" + "noise\n",
        {});
    CHECK(result.format == "syslog+combined");
    CHECK(result.requests == Rows{{1, kMidnight + kSecond, "192.0.2.1", 1},
                                  {3, kMidnight + 2 * kSecond, "192.0.2.1", 1}});
    CHECK(result.filtered == 1);
    CHECK(result.bad_rows == Bad{"4:1 syntax not a line of syslog"});
  }
}

TEST_CASE("envelopes: -F names them alone or with the format inside") {
  const std::string text = cri(access(1)) + cri(access(2));
  CHECK(read_text(text, flags_of("cri", "", "", "", "")).format == "cri+combined");
  CHECK(read_text(text, flags_of("cri+combined", "", "", "", "")).requests.size() == 2);
  CHECK(message(text, flags_of("cri+cvs", "", "", "", "")) == "-F cvs: no such format");
  CHECK(message(text, flags_of("crio", "", "", "", "")) == "-F crio: no such format");
  CHECK(message(text, flags_of("cri+csv", "", "", "", "")) ==
        "-F cri+csv: csv cannot be read line by line");
  CHECK(message(cri("a") + cri("b"), flags_of("cri", "", "", "", "")) ==
        "text is of no known format");
}

}  // namespace
}  // namespace ratereplay::testing
