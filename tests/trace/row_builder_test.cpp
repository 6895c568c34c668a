// SPDX-License-Identifier: Apache-2.0
#include "trace/row_builder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "block_rows.hpp"
#include "keys/shown_key.hpp"

using namespace ratereplay;

namespace {

/// Cells with the bytes behind them that a builder may look at.
class Cells {
 public:
  Cells& text(std::string_view text, CellKind kind = CellKind::kText) {
    texts_.push_back(std::make_unique<PaddedText>(text));
    cells_.push_back({texts_.back()->text(), kind, static_cast<std::uint32_t>(cells_.size() + 10)});
    return *this;
  }
  Cells& none(CellKind kind = CellKind::kMissing) {
    cells_.push_back({{}, kind, static_cast<std::uint32_t>(cells_.size() + 10)});
    return *this;
  }
  [[nodiscard]] std::span<const Cell> get() const { return cells_; }

 private:
  std::vector<std::unique_ptr<PaddedText>> texts_;
  std::vector<Cell> cells_;
};

ReadPlan plan_of(std::string_view time_format, std::vector<std::size_t> time,
                 std::vector<KeyPart> key, std::vector<std::size_t> cost) {
  ReadPlan plan;
  plan.time_format = parse_time_format(time_format);
  plan.time = std::move(time);
  plan.key = std::move(key);
  plan.cost = std::move(cost);
  return plan;
}

struct Built {
  struct Row {
    RawRow raw;
    RowDetail detail;
  };
  std::vector<Row> rows;
  std::vector<BadRow> bad;
  std::vector<std::string> keys;
};

Built build(const ReadPlan& plan, const std::vector<const Cells*>& records) {
  RowBuilder builder(plan);
  RowBatch batch;
  std::uint64_t line = 0;
  for (const Cells* cells : records) builder.build(cells->get(), ++line, batch);
  Built built;
  for (std::size_t i = 0; i < RowBatch::kPartitions; ++i) {
    for (std::size_t j = 0; j < batch.partition(i).size(); ++j) {
      built.rows.push_back({batch.partition(i)[j], batch.details(i)[j]});
    }
  }
  std::ranges::sort(built.rows, {}, [](const Built::Row& row) { return row.detail.row; });
  for (const Built::Row& row : built.rows) built.keys.emplace_back(row.raw.key.text());
  for (std::size_t kind = 0; kind < kBadKindNames.size(); ++kind) {
    for (const BadRow& bad : batch.first_bad(static_cast<BadKind>(kind))) built.bad.push_back(bad);
  }
  return built;
}

const KeyPart kKey{1, {}, "key"};

}  // namespace

TEST_CASE(
    "row: a time as number or text is the same; null, missing and true differ in the reason") {
  const ReadPlan plan = plan_of("relative-s", {0}, {}, {});
  const Cells number = std::move(Cells().text("1", CellKind::kNumber));
  const Cells text = std::move(Cells().text("1"));
  const Cells null = std::move(Cells().none(CellKind::kNull));
  const Cells missing = std::move(Cells().none());
  const Cells other = std::move(Cells().text("true", CellKind::kOther));
  const Built built = build(plan, {&number, &text, &null, &missing, &other});
  REQUIRE(built.rows.size() == 2);
  CHECK(built.rows[0].raw.at == 1'000'000'000);
  CHECK(built.rows[1].raw.at == 1'000'000'000);
  REQUIRE(built.bad.size() == 3);
  CHECK(built.bad[0].reason == "the time is null");
  CHECK(built.bad[1].reason == "the time is missing");
  CHECK(built.bad[2].reason == "not a number");
  CHECK(built.bad[2].line == 5);
  CHECK(built.bad[2].column == 10);
}

TEST_CASE("row: date and time of two fields are one instant") {
  const ReadPlan plan = plan_of("iso", {0, 1}, {}, {});
  const Cells good = std::move(Cells().text("2015-01-13").text("00:32:17"));
  const Cells no_date = std::move(Cells().none().text("00:32:17"));
  const Cells no_time = std::move(Cells().text("2015-01-13").none());
  const Cells long_text = std::move(Cells().text("2015-01-13").text(std::string(200, '0')));
  const Built built = build(plan, {&good, &no_date, &no_time, &long_text});
  REQUIRE(built.rows.size() == 1);
  CHECK(built.rows[0].raw.at == 1'421'109'137'000'000'000);
  REQUIRE(built.bad.size() == 3);
  CHECK(built.bad[0].column == 10);
  CHECK(built.bad[1].column == 11);
}

TEST_CASE("row: a key that is missing, null, empty or a dash is one key of its own") {
  const ReadPlan plan = plan_of("epoch-s", {0}, {kKey}, {});
  const Cells a = std::move(Cells().text("1").text("a"));
  const Cells dash = std::move(Cells().text("1").text("-"));
  const Cells empty = std::move(Cells().text("1").text(""));
  const Cells null = std::move(Cells().text("1").none(CellKind::kNull));
  const Cells missing = std::move(Cells().text("1").none());
  const Built built = build(plan, {&a, &dash, &empty, &null, &missing});
  CHECK(built.keys == std::vector<std::string>{"a", "-", "-", "-", "-"});
}

TEST_CASE("row: tuples are the same, and sort, as tuples") {
  const std::vector<KeyPart> parts = {{1, {}, "a"}, {2, {}, "b"}};
  const ReadPlan plan = plan_of("epoch-s", {0}, parts, {});
  const std::vector<std::pair<std::string, std::string>> tuples = {
      {"a", "bc"},
      {"ab", "c"},
      {"abc", "-"},
      {"a", std::string("\0c", 2)},
      {"a", "\x01"},
      {"a", "\x02"},
      {std::string("a\0", 2), "c"},
      {"a | b", "c"},
      {"a", "b | c"},
      {std::string(40, 'x'), std::string(40, 'y')}};
  std::vector<Cells> records(tuples.size());
  std::vector<const Cells*> places;
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    records[i].text("1").text(tuples[i].first).text(tuples[i].second);
    places.push_back(&records[i]);
  }
  const Built built = build(plan, places);
  REQUIRE(built.keys.size() == tuples.size());
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    CHECK(shown_key(built.keys[i], parts) == tuples[i].first + " | " + tuples[i].second);
    for (std::size_t j = 0; j < tuples.size(); ++j) {
      CHECK((built.keys[i] < built.keys[j]) == (tuples[i] < tuples[j]));
    }
  }
}

TEST_CASE("row: the role ip strips port and brackets") {
  const std::vector<std::pair<std::string_view, std::string_view>> rows = {
      {"192.0.2.1:44740", "192.0.2.1"},
      {"192.0.2.1", "192.0.2.1"},
      {"[2001:db8::1]:443", "2001:db8::1"},
      {"[::1]", "::1"},
      {"2001:db8::1", "2001:db8::1"},
      {"::1", "::1"},
      {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"},
      {"host.example:80", "host.example"},
      {"192.0.2.1:", "192.0.2.1:"},
      {":80", ":80"},
      {"[]", "[]"},
      {"[", "["},
      {"", ""},
      {"192.0.2.1:x", "192.0.2.1:x"}};
  for (const auto& [text, bare] : rows) CHECK(strip_port(text) == bare);
  const ReadPlan plan = plan_of("epoch-s", {0}, {{1, {.role = KeyRole::kIp}, "ip"}}, {});
  const Cells one = std::move(Cells().text("1").text("192.0.2.1:1000"));
  const Cells two = std::move(Cells().text("1").text("192.0.2.1:2000"));
  CHECK(build(plan, {&one, &two}).keys == std::vector<std::string>{"192.0.2.1", "192.0.2.1"});
}

TEST_CASE("row: costs are whole numbers that fit, however written") {
  struct Row {
    std::string_view text;
    std::uint64_t cost;
    std::string_view reason;
  };
  const std::vector<Row> rows = {
      {"0", 0, ""},
      {"7", 7, ""},
      {"+7", 7, ""},
      {"1.0", 1, ""},
      {"1.7E+3", 1'700, ""},
      {"1700e-2", 17, ""},
      {"4294967295", 4'294'967'295, ""},
      {"0000000000000000000000001", 1, ""},
      {"0e99", 0, ""},
      {"-0", 0, ""},
      {" 12 ", 12, ""},
      {"12.000", 12, ""},
      {".0", 0, ""},
      {"4294967296", 0, "4294967296 is above 4294967295"},
      {"99999999999999999999999", 0, "99999999999999999999999 is above 4294967295"},
      {"1e99", 0, "1e99 is above 4294967295"},
      {"1e999999999999", 0, "1e999999999999 is above 4294967295"},
      {"-1", 0, "-1 is negative"},
      {"-0.5", 0, "-0.5 is negative"},
      {"1.5", 0, "1.5 is not a whole number"},
      {"1e-1", 0, "1e-1 is not a whole number"},
      {"1,5", 0, "'1,5' is not a number"},
      {"12a", 0, "'12a' is not a number"},
      {"-", 0, "'-' is not a number"},
      {"e3", 0, "'e3' is not a number"},
      {".", 0, "'.' is not a number"},
      {"1e", 0, "'1e' is not a number"},
      {"nan", 0, "'nan' is not a number"},
      {"", 0, "the cost is missing"}};
  const ReadPlan plan = plan_of("epoch-s", {0}, {}, {1});
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Cells cells = std::move(Cells().text("1").text(row.text));
    const Built built = build(plan, {&cells});
    if (row.reason.empty()) {
      REQUIRE(built.rows.size() == 1);
      CHECK(built.rows[0].detail.cost == row.cost);
    } else {
      REQUIRE(built.bad.size() == 1);
      CHECK(built.bad[0].kind == BadKind::kCost);
      CHECK(built.bad[0].column == 11);
      CHECK(built.bad[0].reason == row.reason);
    }
  }
}

TEST_CASE("row: a sum of fields counts together, and must fit together") {
  const ReadPlan plan = plan_of("epoch-s", {0}, {}, {1, 2});
  const Cells good = std::move(Cells().text("1").text("4294967290").text("5"));
  const Cells over = std::move(Cells().text("1").text("4294967290").text("6"));
  const Cells half = std::move(Cells().text("1").text("4").none());
  const Built built = build(plan, {&good, &over, &half});
  REQUIRE(built.rows.size() == 1);
  CHECK(built.rows[0].detail.cost == 4'294'967'295);
  REQUIRE(built.bad.size() == 2);
  CHECK(built.bad[0].reason == "the sum is above 4294967295");
  CHECK(built.bad[0].column == 12);
  CHECK(built.bad[1].reason == "the cost is missing");
  CHECK(built.bad[1].column == 12);
}
