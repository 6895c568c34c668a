// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/delimited.hpp"
#include "trace/delimited_scan.hpp"
#include "trace/delimited_window.hpp"
#include "trace/digits.hpp"
#include "trace/direct_row.hpp"
#include "trace/json.hpp"
#include "trace/json_picker.hpp"
#include "trace/json_window.hpp"
#include "trace/lines.hpp"
#include "trace/read_text.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay::testing {
namespace {

using Random = std::mt19937;

std::string one_of(Random& random, std::initializer_list<const char*> list) {
  return list.begin()[random() % list.size()];
}

std::string digits(Random& random, std::size_t most) {
  std::string text;
  for (std::size_t i = random() % (most + 1); i > 0; --i) {
    text += static_cast<char>('0' + random() % 10);
  }
  return text;
}

ReadPlan plan_for(const Format& format, Random& random) {
  ReadPlan plan;
  plan.format = &format;
  plan.wanted = {{"t", 0}, {"k", 1}, {"c", 2}};
  plan.time = {0};
  if (random() % 4 != 0) plan.key = {KeyPart{1, {}, "k"}};
  if (random() % 4 != 0) plan.cost = {2};
  plan.time_format.style = random() % 2 == 0 ? TimeStyle::kEpoch : TimeStyle::kRelative;
  constexpr std::int64_t kUnits[] = {1, 1'000, 1'000'000, 1'000'000'000};
  plan.time_format.unit = Duration(kUnits[random() % 4]);
  plan.layout.delimiter = ',';
  plan.layout.names = {"1", "2", "3"};
  return plan;
}

std::string random_number(Random& random) {
  return one_of(random, {"", "", "", "", "-", "0", " ", "+", "x"}) + digits(random, 20) +
         one_of(random, {"", "", "", "", "", ".5", " ", "e3", "x", "\t", "\xff", ":", "/"});
}

TEST_CASE("csv: the short way and the long way read every row alike") {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const ReadPlan plan = plan_for(csv_format(), random);
    std::string text;
    for (int row = 0; row < 60; ++row) {
      const std::string key = random() % 3 == 0
                                  ? one_of(random, {"", "-", " ", "\xff"})
                                  : std::string(random() % 40, 'k') + digits(random, 3);
      text += fmt::format("{},{},{}", random_number(random), key, random_number(random));
      text += one_of(random, {"\n", "\n", "\r\n", "\n"});
    }
    const std::string padded = std::string(64, '7') + text + std::string(64, '7');
    ReadResult slow;
    RowBatch batch;
    RowBuilder builder(plan);
    DelimitedScanner scanner(',');
    std::string_view rest(padded.data() + 64, text.size());
    for (std::uint64_t line = 1; !rest.empty(); ++line) {
      if (scanner.scan(rest, true) == DelimitedScanner::Found::kRecord) {
        std::vector<Cell> cells;
        for (const auto& field : scanner.fields()) {
          cells.push_back({field.text, CellKind::kText, field.offset + 1});
        }
        builder.build(cells, line, batch);
      }
      rest.remove_prefix(scanner.size());
    }
    slow.add(batch);
    const auto source = text_source(text);
    const ReadResult fast = read_source(*source, plan);
    CAPTURE(text);
    REQUIRE(fast.requests == slow.requests);
    REQUIRE(fast.rows == slow.rows);
    REQUIRE(fast.bad == slow.bad);
  }
}

TEST_CASE("csv: delimiters are found alike by vectors and by bytes") {
  Random random(2);
  for (int round = 0; round < 2'000; ++round) {
    const auto density = 2 + random() % 30;
    std::string text(DelimitedWindow::kBytes, 'x');
    for (char& c : text) {
      if (random() % density == 0) c = one_of(random, {",", "\"", "\n", ";", "\r", "\xac"})[0];
    }
    const DelimitedWindow fast = WindowFinder(',').at(text.data());
    const DelimitedWindow plain = PlainWindowFinder(',').at(text.data());
    CAPTURE(text);
    REQUIRE(fast.delimiters == plain.delimiters);
    REQUIRE(fast.stops == plain.stops);
  }
}

TEST_CASE("digits: vectors and words read the same numbers") {
  Random random(4);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = std::string(16, one_of(random, {"0", "9", ",", "\xff"})[0]);
    const std::size_t size = 1 + random() % 16;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('0' + random() % 10);
    if (random() % 3 == 0) text[16 + random() % size] = static_cast<char>(random());
    const char* const end = text.data() + text.size();
    std::uint64_t fast = 0;
    std::uint64_t plain = 0;
    CAPTURE(text);
    const bool read = read_digits_before(end, size, fast);
    REQUIRE(read == read_digits_plainly(end, size, plain));
    if (!read) continue;
    REQUIRE(fast == plain);
    REQUIRE(fast == std::stoull(text.substr(16)));
  }
}

TEST_CASE("json: bytes are found alike by vectors and one by one") {
  Random random(7);
  std::string text(16, 'x');
  std::string other = text;
  for (int round = 0; round < 5'000; ++round) {
    text[random() % 16] = one_of(random, {"\"", "\\", "\x1f", " ", "0", "9", "/", ":", "\xff"})[0];
    text[random() % 16] = static_cast<char>(random());
    if (random() % 2 == 0) other = text;
    CAPTURE(text);
    REQUIRE(JsonWindow::stops(text.data()) == PlainJsonWindow::stops(text.data()));
    REQUIRE(JsonWindow::digits(text.data()) == PlainJsonWindow::digits(text.data()));
    REQUIRE(JsonWindow::same(text.data(), other.data()) ==
            PlainJsonWindow::same(text.data(), other.data()));
  }
}

TEST_CASE("ndjson: the layout of the last line and a parser read every row alike") {
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    const ReadPlan plan = plan_for(ndjson_format(), random);
    std::string text;
    const std::string colon = one_of(random, {":", ": "});
    // In some texts most objects end alike.
    const bool repeated = random() % 2 == 0;
    const unsigned unusual = repeated ? 60 : 8;
    for (int row = 0; row < 60; ++row) {
      const auto value = [&](const char* usual) {
        if (random() % unusual != 0)
          return std::string(usual).append(digits(random, repeated ? 0 : 2));
        return one_of(random, {"1",    "null", "true",      "\"1\"",    "-5",
                               "1.5",  "1e3",  "01",        "\"a\\n\"", "[1, 2]",
                               "[]",   "[1,]", "{\"t\":1}", "{}",       "",
                               "\"\"", "\"",   "1 ",        "\"\xff\"", "12345678901234567"});
      };
      text += fmt::format(
          R"({{"t"{0}{1},"u"{0}{2},"l"{0}{3},"k"{0}"{4}{5}","o"{0}{{"k"{0}{6}}},"c"{0}{7})", colon,
          value("17000000000") + (repeated ? digits(random, 2) : ""), value("1"),
          random() % unusual > 3 ? "[1,2]" : "[\"x\", {}]", digits(random, 30),
          random() % (unusual / 2) == 0 ? "\\u0041" : "", value("3"), value("4"));
      text +=
          random() % unusual > 3 ? "}\n" : one_of(random, {"}\r\n", "} \n", "}x\n", "x}\n", "\n"});
    }
    ReadResult slow;
    RowBatch batch;
    RowBuilder builder(plan);
    JsonPicker picker(plan.wanted);
    const std::string padded = text + std::string(64, ' ');
    std::string_view rest(padded.data(), text.size());
    for (std::uint64_t line = 1; !rest.empty(); ++line) {
      const std::string_view record = take_line(rest);
      if (record.empty()) continue;
      if (picker.pick(record, batch)) {
        const std::vector<Cell> cells(picker.cells().begin(), picker.cells().end());
        builder.build(cells, line, batch);
      } else {
        batch.add_bad(BadKind::kSyntax, line, 1, [] { return std::string(); });
      }
    }
    slow.add(batch);
    const auto source = text_source(text);
    const ReadResult fast = read_source(*source, plan);
    CAPTURE(text);
    REQUIRE(fast.requests == slow.requests);
    REQUIRE(fast.rows == slow.rows);
    REQUIRE(fast.bad == slow.bad);
  }
}

TEST_CASE("tables and JSON: any bytes give rows that add up, the same in blocks of any size") {
  Random random(4);
  for (int round = 0; round < 1'500; ++round) {
    const Format* const formats[] = {&csv_format(), &ndjson_format(), &json_format()};
    const Format& format = *formats[round % 3];
    const ReadPlan plan = plan_for(format, random);
    std::string text = &format == &json_format() && random() % 4 != 0 ? "[" : "";
    for (std::size_t i = random() % 60; i > 0; --i) {
      text += one_of(random, {"\"",
                              "\"",
                              ",",
                              ",",
                              "\n",
                              "\n",
                              "\r",
                              "1",
                              "12",
                              "a",
                              "{",
                              "}",
                              "[",
                              "]",
                              ":",
                              "\\",
                              "#",
                              " ",
                              "{\"t\":1,\"k\":\"a\",\"c\":1}",
                              ",",
                              "{\"t\":2,\"k\":\"b\",\"c\":3}\n",
                              "1,a,1\n",
                              "2,\"b\",1\n",
                              "\xff"});
    }
    const auto whole_source = text_source(text);
    const ReadResult whole = read_source(*whole_source, plan);
    CAPTURE(text);
    REQUIRE(whole.requests.size() + whole.all_bad() + whole.filtered == whole.rows);
    for (const std::size_t bytes : {1, 3, 16, 64}) {
      const auto source = text_source(text);
      const ReadResult blocks = read_source(*source, plan, bytes);
      CAPTURE(bytes);
      REQUIRE(blocks.error == whole.error);
      if (!whole.error.empty()) continue;
      REQUIRE(blocks.bad_rows == whole.bad_rows);
      REQUIRE((blocks == whole));
    }
  }
}

}  // namespace
}  // namespace ratereplay::testing
