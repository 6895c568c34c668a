// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "trace/combined.hpp"
#include "trace/enveloped.hpp"
#include "trace/headered.hpp"
#include "trace/json.hpp"
#include "trace/logfmt.hpp"
#include "trace/read_text.hpp"

namespace ratereplay::testing {
namespace {

using Random = std::mt19937;

/// A reader, and pieces of what it reads.
struct Kind {
  const Format* format;
  std::vector<const char*> pieces;
};

const Format& wrapped(std::string_view envelope, const Format& inner) {
  static std::vector<std::shared_ptr<const Format>> kept;
  kept.push_back(enveloped(*envelope_named(envelope), {std::shared_ptr<const Format>(), &inner}));
  return *kept.back();
}

std::vector<Kind> kinds() {
  return {
      {&w3c_format(),
       {"#Fields: t k c\n", "#Fields: k t\n", "#Fields: time k\n", "#Date: 2026-01-02 05:00:00\n",
        "#Fields:", "#Date:", "1 a 1\n", "a 2\n", "04:00:00 a\n", "\"a b\"", "\"\"", "-", "\t"}},
      {&zeek_format(),
       {"#separator \\x09\n", "#separator ;\n", "#fields\tt\tk\n", "#fields;t;k;c\n",
        "#unset_field\tx\n", "#empty_field", "1\ta\n", "1;a;2\n", "(empty)", "\t", ";"}},
      {&logfmt_format(),
       {"t=1 k=a c=2\n", "t=", "k=", "k=\"a \\\"b\\\" \\u0041\"", "\"", "\\", "\\u", "=", "t=1"}},
      {&wrapped("cri", ndjson_format()),
       {"2026-01-02T03:04:05.1Z stdout F {\"t\":1,\"k\":\"a\",\"c\":1}\n",
        "2026-01-02T03:04:05.1Z stdout P {\"t\":1,", "2026-01-02T03:04:05.1Z stderr P {",
        "2026-01-02T03:04:05.1Z stdout F \"k\":1}\n", "2026-01-02T03:04:05.1Z stderr F x\n",
        "2026-01-02T03:04:05.1Z", "stdout F", "\n"}},
      {&wrapped("docker", logfmt_format()),
       {R"({"log":"t=1 k=a\n","stream":"stdout","time":"x"})"
        "\n",
        R"({"log":"t=1 ","stream":"stdout","time":"x"})"
        "\n",
        R"({"log":"t=\"1\"\nk=\u0041\\n","stream":"stderr","time":"x"})"
        "\n",
        R"({"log":"\n","stream":"stderr","time":"x"})"
        "\n",
        "{\"log\":", "{", "}"}},
      {&wrapped("syslog", combined_format()),
       {"<1>Jan  2 03:04:05 h a: ", "<1>1 t h a p m - ", "<1>1 t h a p m [a b=\"]\"] ", "<1>",
        "192.0.2.1 - - [02/Jan/2026:03:04:05 +0000] \"GET / HTTP/1.1\" 200 1\n", "[", "]", "\""}},
      {&wrapped("caddy", ndjson_format()),
       {"2026/01/02 03:04:05\tinfo\tx\t{\"t\":1,\"k\":\"a\"}\n", "2026/01/02 03:04:05\tinfo\t{}\n",
        "2026/01/02 03:04:05\tinfo\tx\n", "2026/01/02 03:04:05\tinfo\t{", "\t", "{", "}"}},
  };
}

ReadPlan plan_for(const Format& format, Random& random) {
  ReadPlan plan;
  plan.format = &format;
  plan.wanted = {{"t", 0}, {"k", 1}, {"c", 2}, {"time", 0}, {"date", 1}};
  plan.time = {0};
  plan.time_format = {TimeStyle::kRelative, Duration(1), {}};
  if (&format == &w3c_format() && random() % 2 == 0) {
    plan.time = {4, 3};
    plan.time_format = {TimeStyle::kIso, {}, {}};
  }
  if (format.name() == "syslog+combined") {
    plan.wanted = {{"time", 3}, {"ip", 0}, {"bytes", 9}};
    plan.time_format = {TimeStyle::kClf, {}, {}};
  }
  if (random() % 4 != 0) plan.key = {KeyPart{1, {}, "k"}};
  if (random() % 4 == 0) plan.cost = {2};
  plan.layout.delimiter = " \t,"[random() % 3];
  plan.layout.names = {"t", "k", "c"};
  return plan;
}

TEST_CASE("logs of lines: any bytes give rows that add up, the same in blocks of any size") {
  Random random(5);
  const std::vector<const char*> bytes = {"\n", "\n", "\r", " ", "#", "1", "a", "\xff", ","};
  for (int round = 0; round < 1'500; ++round) {
    const std::vector<Kind> all = kinds();
    const Kind& kind = all[static_cast<std::size_t>(round) % all.size()];
    const ReadPlan plan = plan_for(*kind.format, random);
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) {
      const auto& list = random() % 3 == 0 ? bytes : kind.pieces;
      text += list[random() % list.size()];
    }
    const auto whole_source = text_source(text);
    const ReadResult whole = read_source(*whole_source, plan);
    CAPTURE(kind.format->name());
    CAPTURE(text);
    REQUIRE(whole.requests.size() + whole.all_bad() + whole.filtered == whole.rows);
    for (const std::size_t size : {1, 3, 16, 64}) {
      const auto source = text_source(text);
      const ReadResult blocks = read_source(*source, plan, size);
      CAPTURE(size);
      REQUIRE(blocks.bad_rows == whole.bad_rows);
      REQUIRE((blocks == whole));
    }
  }
}

TEST_CASE("logs of lines: detection takes any bytes") {
  Random random(6);
  for (int round = 0; round < 1'500; ++round) {
    const std::vector<Kind> all = kinds();
    std::string text;
    for (std::size_t i = random() % 30; i > 0; --i) {
      const Kind& kind = all[random() % all.size()];
      text += kind.pieces[random() % kind.pieces.size()];
    }
    CAPTURE(text);
    try {
      read_text(text, {});
    } catch (const Error& error) {
      CHECK_FALSE(error.diagnostic().message.empty());
    }
  }
}

}  // namespace
}  // namespace ratereplay::testing
