// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/access_line.hpp"
#include "trace/access_window.hpp"
#include "trace/combined.hpp"
#include "trace/lines.hpp"
#include "trace/read_text.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay::testing {
namespace {

using Random = std::mt19937;

std::string one_of(Random& random, std::initializer_list<const char*> list) {
  return list.begin()[random() % list.size()];
}

std::string random_line(Random& random) {
  const auto number = [&](unsigned below) { return std::to_string(random() % below); };
  std::string line;
  if (random() % 8 == 0) {
    line = one_of(random, {"-", "1", "h.example", "2001:db8::1", "192.0.2.1:80", "192.0.2.1,", "#1",
                           "\"192.0.2.1\"",
                           "\xEF\xBB\xBF"
                           "1.2.3.4",
                           "1111111111111111", "/", ""});
  } else {
    line = "10." + number(20) + '.' + number(256) + '.' + number(256);
  }
  line += random() % 16 == 0 ? one_of(random, {" - a [", " -  [", " - - ", "- - [", " a [x] ["})
                             : " - - [";
  line += "02/Jan/2026:03:04:";
  line += random() % 4 != 0 ? "05" : one_of(random, {"06", "59", "60", "5", "05\n", "\n"});
  line += random() % 16 != 0 ? " +0000" : one_of(random, {" -0130", "", " +0000 ", "+0000"});
  line += random() % 16 != 0 ? "] \"" : one_of(random, {"]\"", "] ", "]", "]  \"", "]\n\""});
  line += one_of(random, {"GET / HTTP/1.1\" 200 5", "GET /", "\"", "\r", "\\\" \" - -", "\xff"});
  line.append(random() % 3 == 0 ? random() % 200 : 0, one_of(random, {" ", "\"", "x", "\r"})[0]);
  if (random() % 12 == 0) line[random() % line.size()] = static_cast<char>(random());
  return line + one_of(random, {"\n", "\n", "\n", "\r\n", "\n\n"});
}

ReadPlan plan_for(Random& random) {
  ReadPlan plan;
  plan.format = &combined_format();
  plan.wanted = {{"time", 3}, {"ip", 0}};
  plan.time = {0};
  plan.time_format = {TimeStyle::kClf, {}, {}};
  KeyShape shape;
  shape.role = random() % 2 == 0 ? KeyRole::kIp : KeyRole::kRaw;
  plan.key = {KeyPart{1, shape, "ip"}};
  return plan;
}

/// The same by the parts that read every line.
ReadResult read_completely(std::string_view text, const ReadPlan& plan) {
  const std::string padded = std::string(64, ' ') + std::string(text) + std::string(64, ' ');
  RowBatch batch;
  RowBuilder builder(plan);
  std::string_view rest(padded.data() + 64, text.size());
  for (std::uint64_t line = 1; !rest.empty(); ++line) {
    const std::string_view record = take_line(rest);
    if (!is_record_line(record)) continue;
    AccessLine parts;
    std::string_view behind;
    if (const LineFault fault = parts.split_head(record, behind); !fault.none()) {
      batch.add_bad(fault.kind, line, 1, [] { return std::string(); });
      continue;
    }
    const Cell cells[] = {field_cell(record, parts[AccessField::kTime]),
                          field_cell(record, parts[AccessField::kIp])};
    builder.build(cells, line, batch);
  }
  ReadResult result;
  result.add(batch);
  return result;
}

TEST_CASE("combined: the short way and the long way read every line alike") {
  Random random(1);
  for (int round = 0; round < 600; ++round) {
    const ReadPlan plan = plan_for(random);
    std::string text;
    for (int line = 0; line < 50; ++line) text += random_line(random);
    if (random() % 2 == 0) text.resize(text.size() - random() % 20);
    const ReadResult complete = read_completely(text, plan);
    const auto source = text_source(text);
    const ReadResult read = read_source(*source, plan);
    CAPTURE(text);
    REQUIRE(read.requests == complete.requests);
    REQUIRE(read.rows == complete.rows);
    REQUIRE(read.bad == complete.bad);
  }
}

TEST_CASE("combined: bytes are found alike by vectors and one by one") {
  Random random(2);
  for (int round = 0; round < 3'000; ++round) {
    std::string text(16, '1');
    for (char& c : text) {
      if (random() % 8 == 0) c = one_of(random, {".", "9", "/", ":", "-", " ", "\xff", "\xac"})[0];
    }
    CAPTURE(text);
    REQUIRE(AccessWindow::address_bytes(text.data()) ==
            PlainAccessWindow::address_bytes(text.data()));
    std::string line(random() % 300, 'x');
    if (!line.empty() && random() % 4 != 0) line[random() % line.size()] = '\n';
    const std::string padded = line + std::string(64, random() % 2 == 0 ? '\n' : '#');
    const char* const end = padded.data() + line.size();
    const char* const found = AccessWindow::find_feed(padded.data(), end);
    REQUIRE(std::min(found, end) == PlainAccessWindow::find_feed(padded.data(), end));
  }
}

}  // namespace
}  // namespace ratereplay::testing
