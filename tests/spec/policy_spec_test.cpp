// SPDX-License-Identifier: Apache-2.0
#include "spec/policy_spec.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/diagnostics.hpp"
#include "error.hpp"
#include "run_program.hpp"
#include "spec/option_text.hpp"

namespace ratereplay {
namespace {

/// The whole message that a text is refused with.
std::string refusal(std::string_view text) {
  try {
    static_cast<void>(parse_policy(text, "-p 1"));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return message_text(Severity::kError, error.diagnostic());
  }
  return "parsed";
}

std::string canonical(std::string_view text) { return parse_policy(text, "-p 1").canonical; }

}  // namespace

TEST_CASE("policy text: the canonical form has digits, the largest unit and what differs") {
  struct Row {
    std::string_view text;
    std::string_view canonical;
  };
  constexpr Row kRows[] = {
      {"sliding-log:100/1s", "sliding-log:100/1s"},
      {"sliding-log:100/s", "sliding-log:100/1s"},
      {"sliding-log:0100/1000ms", "sliding-log:100/1s"},
      {"sliding-log:100/60seconds", "sliding-log:100/1m"},
      {"fixed-window:1k/1h", "fixed-window:1000/1h"},
      {"fixed-window:2M/1.5h", "fixed-window:2000000/90m"},
      {"gcra:10/1s", "gcra:10/1s,capacity=10"},
      {"gcra:10/1s,capacity=1k", "gcra:10/1s,capacity=1000"},
      {"token-bucket:5/1s,refill=continuous", "token-bucket:5/1s,capacity=5"},
      {"leaky-bucket:3/1s,mode=meter,capacity=2", "leaky-bucket:3/1s,capacity=2,mode=meter"},
      {"sliding-counter:1k/1h,round=exact", "sliding-counter:1000/1h,round=exact"},
      {"sliding-counter:5/1s,clock=1ms,charge=attempted,anchor=first,round=ceil",
       "sliding-counter:5/1s,round=ceil,anchor=first,charge=attempted,clock=1ms"},
      {"sliding-counter:5/1s,round=floor,anchor=epoch,charge=admitted", "sliding-counter:5/1s"},
      {"sliding-log:5/1s,clock=1ns", "sliding-log:5/1s"},
      {"fixed-window:5/1s,boundary=closed,anchor=first",
       "fixed-window:5/1s,anchor=first,boundary=closed"},
      {"sliding-log:9223372036854775807/9223372036854775807ns",
       "sliding-log:9223372036854775807/9223372036854775807ns"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(canonical(row.text) == row.canonical);
    CHECK(canonical(row.canonical) == row.canonical);
  }
}

TEST_CASE("policy text: a name labels it, and may be of any script") {
  const PolicySpec named = parse_policy("api=gcra:10/s,capacity=20", "-p 1");
  CHECK(named.name == "api");
  CHECK(named.label() == "api");
  CHECK(named.canonical == "gcra:10/1s,capacity=20");
  CHECK(parse_policy("pr\xc3\xbc"
                     "fung=gcra:10/s",
                     "-p 1")
            .name ==
        "pr\xc3\xbc"
        "fung");
  CHECK(parse_policy("gcra:10/s", "-p 1").label() == "gcra:10/1s,capacity=10");
  for (const std::string_view name :
       {"a b", "a,b", "a\tb", "a\"b", "a'b", "a#b", "a\\b", "a\xff", "a\xe2\x80\x8b"}) {
    CAPTURE(name);
    CHECK(refusal(std::string(name) + "=gcra:10/s").find("cannot be a name") != std::string::npos);
  }
  CHECK(refusal(std::string(65, 'x') + "=gcra:10/s").find("at most 64") != std::string::npos);
}

TEST_CASE("policy text: burst is refused with both translations") {
  CHECK(refusal("gcra:10/1s,burst=20") ==
        "error: 'burst' means different things in different limiters\n"
        "  --> -p 1, column 12:  gcra:10/1s,burst=20\n"
        "                                   ^^^^^^^^\n"
        "  write capacity=21 for nginx or redis-cell (the first request comes on top)\n"
        "  write capacity=20 for Envoy, Traefik or AWS (the size of the whole bucket)\n");
  CHECK(refusal("sliding-log:10/1s,burst") ==
        "error: 'burst' means different things in different limiters\n"
        "  --> -p 1, column 19:  sliding-log:10/1s,burst\n"
        "                                          ^^^^^\n"
        "  sliding-log takes neither: its limit is what it admits at one instant\n"
        "  capacity belongs to gcra, token-bucket and leaky-bucket\n"
        "  write capacity=(burst + 1) for nginx or redis-cell (the first request comes on top)\n"
        "  write capacity=(burst) for Envoy, Traefik or AWS (the size of the whole bucket)\n");
}

TEST_CASE("policy text: what is wrong is underlined and the nearest right thing suggested") {
  struct Row {
    std::string_view text;
    std::string_view message;
  };
  constexpr Row kRows[] = {
      {"sliding-lgo:100/1s",
       "error: unknown algorithm 'sliding-lgo'\n"
       "  --> -p 1, column 1:  sliding-lgo:100/1s\n"
       "                       ^^^^^^^^^^^\n"
       "  did you mean 'sliding-log'?\n"
       "  algorithms: fixed-window, sliding-log, sliding-counter, gcra, token-bucket, "
       "leaky-bucket\n"},
      {"api=100/1s",
       "error: an algorithm is missing: write algorithm:limit/window\n"
       "  --> -p 1, column 5:  api=100/1s\n"
       "                           ^^^^^^\n"
       "  algorithms: fixed-window, sliding-log, sliding-counter, gcra, token-bucket, "
       "leaky-bucket\n"},
      {"gcra",
       "error: 'gcra' needs a limit\n"
       "  --> -p 1, column 1:  gcra\n"
       "                       ^^^^\n"
       "  write gcra:100/1s for 100 in a second\n"},
      {"gcra,capacity=5",
       "error: 'gcra' needs a limit\n"
       "  --> -p 1, column 1:  gcra,capacity=5\n"
       "                       ^^^^\n"
       "  write gcra:100/1s for 100 in a second\n"},
      {"gcra:10",
       "error: the limit '10' needs a window\n"
       "  --> -p 1, column 6:  gcra:10\n"
       "                            ^^\n"
       "  write 10/1s for 10 in a second\n"},
      {"gcra:0/1s",
       "error: the limit 0 is out of range\n"
       "  --> -p 1, column 6:  gcra:0/1s\n"
       "                            ^\n"
       "  it is from 1 to 9223372036854775807\n"},
      {"gcra:-1/1s",
       "error: '-1' is not a limit\n"
       "  --> -p 1, column 6:  gcra:-1/1s\n"
       "                            ^^\n"
       "  write digits, with k for thousands or M for millions: 100, 5k, 2M\n"},
      {"gcra:1e18/1s",
       "error: '1e18' is not a limit\n"
       "  --> -p 1, column 6:  gcra:1e18/1s\n"
       "                            ^^^^\n"
       "  write digits, with k for thousands or M for millions: 100, 5k, 2M\n"},
      {"gcra:9223372036854775808/1s",
       "error: the limit 9223372036854775808 is out of range\n"
       "  --> -p 1, column 6:  gcra:9223372036854775808/1s\n"
       "                            ^^^^^^^^^^^^^^^^^^^\n"
       "  it is from 1 to 9223372036854775807\n"},
      {"gcra:10000000000000M/1s",
       "error: the limit 10000000000000M is out of range\n"
       "  --> -p 1, column 6:  gcra:10000000000000M/1s\n"
       "                            ^^^^^^^^^^^^^^^\n"
       "  it is from 1 to 9223372036854775807\n"},
      {"gcra:10/0s",
       "error: the window 0s is out of range\n"
       "  --> -p 1, column 9:  gcra:10/0s\n"
       "                               ^^\n"
       "  it is from 1 ns to 9223372036854775807 ns\n"},
      {"gcra:10/300y",
       "error: unknown unit 'y'\n"
       "  --> -p 1, column 12:  gcra:10/300y\n"
       "                                   ^\n"
       "  units: ns, us, ms, s, m (or min), h, d, w\n"},
      {"gcra:10/16000w",
       "error: the window 16000w is too long\n"
       "  --> -p 1, column 9:  gcra:10/16000w\n"
       "                               ^^^^^^\n"
       "  the greatest is 9223372036854775807 ns, about 292 years\n"},
      {"gcra:10/0.1ns",
       "error: the window 0.1ns is not a whole number of nanoseconds\n"
       "  --> -p 1, column 9:  gcra:10/0.1ns\n"
       "                               ^^^^^\n"},
      {"gcra:10/10",
       "error: '10' is not a window\n"
       "  --> -p 1, column 9:  gcra:10/10\n"
       "                               ^^\n"
       "  write a number and a unit: 1s, 1.5h, 250ms\n"
       "  units: ns, us, ms, s, m (or min), h, d, w\n"},
      {"gcra:10/1.5.5",
       "error: '1.5.5' is not a window\n"
       "  --> -p 1, column 9:  gcra:10/1.5.5\n"
       "                               ^^^^^\n"
       "  write a number and a unit: 1s, 1.5h, 250ms\n"
       "  units: ns, us, ms, s, m (or min), h, d, w\n"},
      {"gcra:10/",
       "error: '' is not a window\n"
       "  --> -p 1, column 9:  gcra:10/\n"
       "                               ^\n"
       "  write a number and a unit: 1s, 1.5h, 250ms\n"
       "  units: ns, us, ms, s, m (or min), h, d, w\n"},
      {"gcra:10/1s,capcity=5",
       "error: unknown option 'capcity'\n"
       "  --> -p 1, column 12:  gcra:10/1s,capcity=5\n"
       "                                   ^^^^^^^\n"
       "  did you mean 'capacity'?\n"
       "  gcra takes capacity, charge and clock\n"},
      {"sliding-log:10/1s,capacity=5",
       "error: sliding-log does not take the option 'capacity'\n"
       "  --> -p 1, column 19:  sliding-log:10/1s,capacity=5\n"
       "                                          ^^^^^^^^\n"
       "  sliding-log takes boundary, charge and clock\n"
       "  'capacity' belongs to gcra, token-bucket and leaky-bucket\n"},
      {"sliding-counter:10/1s,round=flor",
       "error: unknown value 'flor' of 'round'\n"
       "  --> -p 1, column 29:  sliding-counter:10/1s,round=flor\n"
       "                                                    ^^^^\n"
       "  did you mean 'floor'?\n"
       "  values: floor, exact, nearest, ceil\n"},
      {"gcra:10/1s,charge=admitted,charge=admitted",
       "error: the option 'charge' is given twice\n"
       "  --> -p 1, column 28:  gcra:10/1s,charge=admitted,charge=admitted\n"
       "                                                   ^^^^^^^^^^^^^^^\n"},
      {"gcra:10/1s,",
       "error: an option is missing after the comma\n"
       "  --> -p 1, column 12:  gcra:10/1s,\n"
       "                                   ^\n"
       "  gcra takes capacity, charge and clock\n"},
      {"gcra:10/1s,capacity",
       "error: the option 'capacity' needs a value\n"
       "  --> -p 1, column 12:  gcra:10/1s,capacity\n"
       "                                   ^^^^^^^^\n"
       "  write capacity=UNITS\n"},
      {"fixed-window:10/1s,boundary=closed",
       "error: boundary=closed needs anchor=first\n"
       "  --> -p 1, column 20:  fixed-window:10/1s,boundary=closed\n"
       "                                           ^^^^^^^^^^^^^^^\n"},
      {"a b=gcra:10/1s",
       "error: 'a b' cannot be a name\n"
       "  --> -p 1, column 1:  a b=gcra:10/1s\n"
       "                       ^^^\n"
       "  a name has no space, comma, colon, =, #, backslash or quote\n"},
      {"=gcra:10/1s",
       "error: the name is empty\n"
       "  --> -p 1, column 1:  =gcra:10/1s\n"
       "                       ^\n"
       "  write name=algorithm:limit/window\n"},
      {"\x1b[2J:10/1s",
       "error: unknown algorithm '\\x1b[2J'\n"
       "  --> -p 1, column 1:  \\x1b[2J:10/1s\n"
       "                       ^^^^^^^\n"
       "  algorithms: fixed-window, sliding-log, sliding-counter, gcra, token-bucket, "
       "leaky-bucket\n"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(refusal(row.text) == row.message);
  }
}

TEST_CASE("policy text: any policy's canonical form parses to the same policy") {
  CHECK(rc::check([] {
    const auto name = kPolicyNames[*rc::gen::inRange<std::size_t>(0, std::size(kPolicyNames))];
    Options options;
    for (const Option option : taken_options(name)) {
      if (*rc::gen::arbitrary<bool>()) continue;
      const auto words = option_words(option);
      if (!words.empty())
        set_word(options, option, *rc::gen::inRange<std::size_t>(0, words.size()));
      if (option == Option::kCapacity) options.capacity = *rc::gen::positive<std::int64_t>();
      if (option == Option::kClock) {
        options.clock = Duration{*rc::gen::inRange<std::int64_t>(2, 5'000'000'000)};
      }
    }
    if (options.boundary == Boundary::kClosed && name == "fixed-window") {
      options.anchor = Anchor::kFirst;
    }
    const Limit limit{*rc::gen::positive<std::int64_t>(),
                      Duration{*rc::gen::positive<std::int64_t>()}};
    const AnyPolicy policy = make_policy(name, limit, options);
    const std::string text = canonical_text(policy);
    const PolicySpec parsed = parse_policy(text, "-p 1");
    RC_ASSERT(parsed.canonical == text);
    RC_ASSERT(parsed.policy.index() == policy.index());
    RC_ASSERT(limit_of(parsed.policy) == limit);
    RC_ASSERT(options_of(parsed.policy) == options_of(policy));
  }));
}

TEST_CASE("policy text: no text makes it do anything but parse or say why not") {
  CHECK(rc::check([] {
    const auto piece = rc::gen::elementOf(std::vector<std::string>{
        "gcra", "sliding-log", ":", "/", ",", "=", "10", "1k", "1s", "capacity", "charge", "burst",
        "attempted", "", "\xff", " ", "-", "9223372036854775807", "w"});
    std::string text;
    for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) {
      text += part;
    }
    const std::string answer = refusal(text);
    RC_ASSERT(answer == "parsed" || answer.starts_with("error: "));
  }));
}

TEST_CASE("policy file: one a line, with comments; places are file, line and column") {
  const test::TemporaryFolder folder;
  const std::string good = folder.write(
      "limits.txt", "\xef\xbb\xbf# the gate\r\n\r\nsliding-log:100/1s\r\n  api=gcra:10/1s # why\n");
  const auto specs = read_policy_file(good);
  REQUIRE(specs.size() == 2);
  CHECK(std::get<PolicySpec>(specs[0]).canonical == "sliding-log:100/1s");
  CHECK(std::get<PolicySpec>(specs[1]).name == "api");

  const auto message = [](const std::string& path) {
    try {
      static_cast<void>(read_policy_file(path));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      return message_text(Severity::kError, error.diagnostic());
    }
    return std::string("parsed");
  };
  const std::string bad = folder.write("bad.txt", "gcra:10/1s\n  gcra:0/1s");
  CHECK(message(bad).find(bad + ":2:8:") != std::string::npos);
  CHECK(message(folder.write("none.txt", "# nothing\n")).find("there is no policy in") !=
        std::string::npos);
  CHECK(message(folder.path("missing")).find("No such file or directory") != std::string::npos);
  CHECK(message(folder.root()).find("Is a directory") != std::string::npos);
}

TEST_CASE("drivers: a command in the place of a policy, with a name or without") {
  const auto driver = [](std::string_view text) {
    return std::get<DriverSpec>(parse_given_policy(text, "-p 1"));
  };
  CHECK(driver("driver:node limiter.mjs").command == "node limiter.mjs");
  CHECK(driver("driver:node limiter.mjs").name.empty());
  CHECK(driver("mine=driver:LIMIT=5 ./limiter, -x a:b").command == "LIMIT=5 ./limiter, -x a:b");
  CHECK(driver("mine=driver:LIMIT=5 ./limiter").name == "mine");
  CHECK(driver("driver:LIMIT=5 ./limiter").name.empty());
  CHECK(std::get<PolicySpec>(parse_given_policy("a=gcra:10/1s", "-p 1")).name == "a");

  const auto message = [](auto parse) {
    try {
      static_cast<void>(parse());
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      return message_text(Severity::kError, error.diagnostic());
    }
    return std::string("parsed");
  };
  CHECK(message([] { return parse_given_policy("mine=driver:  ", "-p 1"); }) ==
        "error: a driver needs a command\n"
        "  --> -p 1, column 6:  mine=driver:  \n"
        "                            ^^^^^^^^^\n"
        "  write mine='driver:node limiter.mjs'\n");
  CHECK(message([] { return parse_policy("driver:node x.mjs", "the policy"); }) ==
        "error: a driver cannot stand in this place\n"
        "  --> the policy, column 1:  driver:node x.mjs\n"
        "                             ^^^^^^^^^^^^^^^^^\n"
        "  write a policy of ours\n");
}

TEST_CASE("policies: labels are distinct") {
  const auto parse = [](std::vector<std::string_view> texts) {
    std::vector<PolicySpec> specs;
    for (const std::string_view text : texts) specs.push_back(parse_policy(text, "-p"));
    return specs;
  };
  CHECK_NOTHROW(require_distinct_labels(parse({"gcra:1/1s", "a=gcra:1/1s", "gcra:2/1s"})));
  CHECK_THROWS_WITH_AS(require_distinct_labels(parse({"gcra:1/1s", "gcra:1/1s,capacity=1"})),
                       "the policy gcra:1/1s,capacity=1 is given twice", Error);
  CHECK_THROWS_WITH_AS(require_distinct_labels(parse({"a=gcra:1/1s", "a=gcra:2/1s"})),
                       "two policies are called 'a'", Error);
}

}  // namespace ratereplay
