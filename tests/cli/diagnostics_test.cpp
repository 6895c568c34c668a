// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnostics.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "text/visible.hpp"

namespace ratereplay {
namespace {

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, visible_width(line));
  }
  return longest;
}

}  // namespace

TEST_CASE("message: what, where with an underline, what to do") {
  const Diagnostic diagnostic{
      "'burst' means different things in different limiters",
      Place{"-p 1, column 12", "gcra:10/1s,burst=20", 11, 8},
      {"write capacity=21 for nginx or redis-cell (the first request comes on top)",
       "write capacity=20 for Envoy, Traefik or AWS (the size of the whole bucket)"}};
  CHECK(message_text(Severity::kError, diagnostic) ==
        "error: 'burst' means different things in different limiters\n"
        "  --> -p 1, column 12:  gcra:10/1s,burst=20\n"
        "                                   ^^^^^^^^\n"
        "  write capacity=21 for nginx or redis-cell (the first request comes on top)\n"
        "  write capacity=20 for Envoy, Traefik or AWS (the size of the whole bucket)\n");
}

TEST_CASE("message: a place without a source line, and advice indented by its own spaces") {
  const Diagnostic diagnostic{
      "4 of 64,977 rows could not be read (0.006%; --max-bad-rows 1%)",
      Place{"access.log.2.gz:48213:18  timestamp: day 31 does not exist in February", "", 0, 0},
      {"    3 more like this: lines 48214, 50001, 50002"}};
  CHECK(message_text(Severity::kWarning, diagnostic) ==
        "warning: 4 of 64,977 rows could not be read (0.006%; --max-bad-rows 1%)\n"
        "  --> access.log.2.gz:48213:18  timestamp: day 31 does not exist in February\n"
        "      3 more like this: lines 48214, 50001, 50002\n");
}

TEST_CASE("message: no line passes 100 columns, and the underlined part stays in sight") {
  std::string source(500, 'x');
  source.replace(300, 3, "BAD");
  const Diagnostic diagnostic{"a message " + std::string(40, 'w') + " " + std::string(40, 'v') +
                                  " that goes on and on and on",
                              Place{"file.csv:1:301", source, 300, 3},
                              {"advice that is rather long as well, so long that it can not stand "
                               "on one line of a hundred columns"}};
  const std::string text = message_text(Severity::kError, diagnostic);
  CHECK(longest_line(text) <= 100);
  CHECK(text.find("...xxx") != std::string::npos);
  const auto bad = text.find("BAD");
  REQUIRE(bad != std::string::npos);
  const auto line = text.rfind('\n', bad);
  const auto carets = text.find("^^^");
  REQUIRE(carets != std::string::npos);
  CHECK(bad - line == carets - text.rfind('\n', carets));
}

TEST_CASE("message: a command stays on one line, to be copied") {
  const std::string pins(90, 'p');
  const std::string run = "ratereplay run - -F csv " + pins + " --cost-field cost";
  const Diagnostic note{
      "exported 3 requests",
      std::nullopt,
      {run, "iconv -f UTF-16 " + pins + " | ratereplay run -", "or pipe in what is left: " + run}};
  CHECK(message_text(Severity::kNote, note) ==
        "note: exported 3 requests\n"
        "  " +
            run +
            "\n"
            "  iconv -f UTF-16 " +
            pins +
            " | ratereplay run -\n"
            "  or pipe in what is left:\n"
            "  " +
            run + "\n");
}

TEST_CASE("message: the underline counts what is shown, not bytes") {
  // \xc3\xa9 is one column, the tab is shown as two.
  const Diagnostic diagnostic{"bad", Place{"x", "\xc3\xa9\tbc", 3, 2}, {}};
  CHECK(message_text(Severity::kError, diagnostic) ==
        "error: bad\n"
        "  --> x:  \xc3\xa9\\tbc\n"
        "             ^^\n");
}

TEST_CASE("message: an escape sequence in quoted text reaches no terminal") {
  const Diagnostic diagnostic{"no '\x1b[2J'", Place{"a\nb", "\xff\x07", 0, 9}, {"\x1b]0;x\x07"}};
  CHECK(message_text(Severity::kNote, diagnostic) ==
        "note: no '\\x1b[2J'\n"
        "  --> a\\nb:  \\xff\\x07\n"
        "             ^^^^^^^^\n"
        "  \\x1b]0;x\\x07\n");
}

TEST_CASE("message: colour adds escapes and changes no text") {
  const Diagnostic diagnostic{"m", Place{"p", "t", 0, 1}, {"a"}};
  CHECK(message_text(Severity::kError, diagnostic, true) ==
        "\x1b[1;31merror:\x1b[0m m\n  --> p:  t\n          \x1b[1;31m^\x1b[0m\n  a\n");
}

}  // namespace ratereplay
