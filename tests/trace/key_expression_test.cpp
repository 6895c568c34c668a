// SPDX-License-Identifier: Apache-2.0
#include "trace/key_expression.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "block_rows.hpp"
#include "trace/address.hpp"
#include "trace/key_shape.hpp"

using namespace ratereplay;

namespace {

/// The keys of a trace, or what was said instead.
std::string keys_of(std::string_view text, const ReadFlags& flags) {
  try {
    std::string keys;
    for (const ReadRow& row : read_text(text, flags).requests) {
      keys += (keys.empty() ? "" : ", ") + row.key;
    }
    return keys;
  } catch (const Error& error) {
    std::string said = "usage: " + error.diagnostic().message;
    for (const std::string& advice : error.diagnostic().advice) said += "; " + advice;
    return said;
  }
}

ReadFlags with_keys(std::vector<std::string> keys) {
  ReadFlags flags;
  flags.keys = std::move(keys);
  return flags;
}

}  // namespace

TEST_CASE("address: every spelling of an address is one; what is none keeps its own") {
  const std::vector<std::pair<std::string_view, std::string_view>> rows = {
      {"192.0.2.1", "192.0.2.1"},
      {"192.0.2.1:44740", "192.0.2.1"},
      {"2001:DB8::1", "2001:db8::1"},
      {"[2001:db8:0:0:0:0:0:1]:443", "2001:db8::1"},
      {"2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"},
      // the longest run of zeros is shortened, the first of equal ones, never a single group
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"::FFFF:c000:0201", "192.0.2.1"},
      {"[::ffff:192.0.2.1]:80", "192.0.2.1"},
      {"::1", "::1"},
      {"0:0:0:0:0:0:0:1", "::1"},
      {"::", "::"},
      {"FE80::1%eth0", "fe80::1%eth0"},
      {"fe80::1%eth1", "fe80::1%eth1"},
      {"2001:db8::g", "2001:db8::g"},
      {"1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:9"},
      {"client.example:80", "client.example"},
      {"unknown", "unknown"},
      {"192.0.2.256:80", "192.0.2.256"},
      {":", ":"},
      {"%", "%"},
      {":::::", ":::::"}};
  std::string buffer;
  for (const auto& [text, plain] : rows) {
    CAPTURE(text);
    CHECK(plain_address(text, {}, buffer) == plain);
    const PaddedText padded(text);
    if (is_plain_address(padded.text())) CHECK(text == plain);
  }
  const std::string with_zero("::1\0x", 5);
  CHECK(plain_address(with_zero, {}, buffer) == with_zero);
  CHECK(is_plain_address(PaddedText("192.0.2.1").text()));
  CHECK(is_plain_address(PaddedText("255.255.255.255").text()));
  CHECK(is_plain_address(PaddedText("1.2.3.4").text()));
  CHECK_FALSE(is_plain_address(PaddedText("192.0.2.1:1").text()));
  CHECK_FALSE(is_plain_address(PaddedText("a:").text()));
  CHECK_FALSE(is_plain_address(PaddedText("12345678:").text()));
}

TEST_CASE("address: a prefix keeps the leading bits and shows them") {
  struct Row {
    IpPrefix prefix;
    std::string_view text;
    std::string_view network;
  };
  const std::vector<Row> rows = {{{24, 64}, "192.0.2.77", "192.0.2.0/24"},
                                 {{24, 64}, "192.0.2.77:80", "192.0.2.0/24"},
                                 {{24, 64}, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
                                 {{24, 64}, "::ffff:192.0.2.77", "192.0.2.0/24"},
                                 {{31, 127}, "192.0.2.77", "192.0.2.76/31"},
                                 {{31, 127}, "::3", "::2/127"},
                                 {{20, 60}, "192.0.255.77", "192.0.240.0/20"},
                                 {{0, 0}, "192.0.2.77", "0.0.0.0/0"},
                                 {{0, 0}, "2001:db8::", "::/0"},
                                 {{32, 128}, "192.0.2.77", "192.0.2.77/32"},
                                 {{24, 64}, "host.example", "host.example"}};
  std::string buffer;
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(plain_address(row.text, row.prefix, buffer) == row.network);
  }
}

TEST_CASE("key shape: paths lose host and query, and are cut to segments") {
  struct Row {
    std::string_view text;
    std::uint32_t segments;
    std::string_view path;
  };
  const std::vector<Row> rows = {{"/a/b/c?x=/1", 0, "/a/b/c"},
                                 {"/a/b/c?x=/1", 1, "/a"},
                                 {"/a/b/c", 2, "/a/b"},
                                 {"/a/b/c", 3, "/a/b/c"},
                                 {"/a/b/", 2, "/a/b"},
                                 {"/a", 2, "/a"},
                                 {"//a//b/c", 2, "//a//b"},
                                 {"/", 1, "/"},
                                 {"?q", 0, "/"},
                                 {"/a#b", 0, "/a"},
                                 {"http://h.example/a/b?c", 1, "/a"},
                                 {"https://h.example:443", 0, "/"},
                                 {"/go?to=http://h.example/", 0, "/go"},
                                 {"/http://x/y", 0, "/http://x/y"},
                                 {"*", 2, "*"},
                                 {"h.example:443", 1, "h.example:443"}};
  std::string buffer;
  for (const Row& row : rows) {
    CAPTURE(row.text);
    KeyShape shape;
    shape.role = KeyRole::kPath;
    shape.segments = row.segments;
    CHECK(shaped(row.text, shape, buffer) == row.path);
  }
}

TEST_CASE("key expression: roles, elements, segments and lower case, in all tables") {
  const std::string csv =
      "ts,client,xff,url,Host\n"
      "1,192.0.2.1:5,\"10.0.0.1, 10.0.0.2\",/API/v1/x?q=1,A.example\n"
      "2,[2001:DB8::1]:7,10.0.0.3,/API/v1/y,a.EXAMPLE\n";
  const std::string json =
      R"({"ts":1,"client":"192.0.2.1:5","xff":"10.0.0.1, 10.0.0.2","url":"/API/v1/x?q=1","Host":"A.example"})"
      "\n"
      R"({"ts":2,"client":"[2001:DB8::1]:7","xff":"10.0.0.3","url":"/API/v1/y","Host":"a.EXAMPLE"})"
      "\n";
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{"ip:client"}, "192.0.2.1, 2001:db8::1"},
      {{"client"}, "192.0.2.1:5, [2001:DB8::1]:7"},
      {{"xff[0]"}, "10.0.0.1, 10.0.0.3"},
      {{"xff[-1]"}, "10.0.0.2, 10.0.0.3"},
      {{"xff[1]"}, "10.0.0.2, -"},
      {{"path"}, "/API/v1/x, /API/v1/y"},
      {{"url"}, "/API/v1/x?q=1, /API/v1/y"},
      {{"path:url"}, "/API/v1/x, /API/v1/y"},
      {{"path~2"}, "/API/v1, /API/v1"},
      {{"url~1"}, "/API, /API"},
      {{"lower:path~1"}, "/api, /api"},
      {{"lower:host"}, "a.example, a.example"},
      {{"host"}, "A.example, a.EXAMPLE"},
      {{"raw:path"}, "/API/v1/x?q=1, /API/v1/y"},
      {{"ip:client", "lower:path~1"}, "192.0.2.1 | /api, 2001:db8::1 | /api"}};
  for (const auto& [keys, expected] : rows) {
    CAPTURE(keys.front());
    CHECK(keys_of(csv, with_keys(keys)) == expected);
    CHECK(keys_of(json, with_keys(keys)) == expected);
    // What is shown reads the same keys again.
    std::vector<std::string> shown;
    for (const KeyPart& part : read_text(csv, with_keys(keys)).plan.key)
      shown.push_back(part.shown);
    CHECK(shown == keys);
  }
  CHECK(keys_of(csv, with_keys({"lower:5"})) == "a.example, a.example");
}

TEST_CASE("key expression: in an access log ip and path are the roles") {
  const std::string log =
      "::ffff:192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a/b?c HTTP/1.0\" 200 23\n"
      "2001:DB8::1 - bob [10/Oct/2000:13:55:37 -0700] \"GET /a/c HTTP/1.0\" 200 -\n";
  CHECK(keys_of(log, {}) == "192.0.2.1, 2001:db8::1");
  CHECK(keys_of(log, with_keys({"raw:ip"})) == "::ffff:192.0.2.1, 2001:DB8::1");
  CHECK(keys_of(log, with_keys({"path"})) == "/a/b, /a/c");
  CHECK(keys_of(log, with_keys({"raw:path"})) == "/a/b?c, /a/c");
  CHECK(keys_of(log, with_keys({"user", "path~1"})) == "- | /a, bob | /a");
  ReadFlags prefix;
  prefix.ip_prefix = "24,64";
  CHECK(keys_of(log, prefix) == "192.0.2.0/24, 2001:db8::/64");
}

TEST_CASE("key expression: a name that is the whole text goes first") {
  CHECK(keys_of("ts,a~2,lower:a,a\n1,x,y,/Z/z/z\n", with_keys({"a~2"})) == "x");
  CHECK(keys_of("ts,a~2,lower:a,a\n1,x,y,/Z/z/z\n", with_keys({"lower:a"})) == "y");
  CHECK(keys_of("ts,a~2,lower:a,a\n1,x,y,/Z/z/z\n", with_keys({"lower:a~1"})) == "/z");
}

TEST_CASE("key expression: what cannot be meant is refused with what was") {
  const std::string csv = "ts,path,user\n1,/a,u\n";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"usr", "did you mean 'user'?"},
      {"lowr:user", "did you mean 'lower:'?"},
      {"lower:usr", "did you mean 'user'?"},
      {"path~x", "'x' is no number of segments"},
      {"path~0", "write path~2"},
      {"user[x]", "'x' is no element of a list"},
      {"user[]", "write user[0]"},
      {"ip:path:user", "exclude each other"},
      {"ip:user~2", "'ip:' excludes"},
      {"host", "has no such field"}};
  for (const auto& [key, message] : rows) {
    CAPTURE(key);
    const std::string said = keys_of(csv, with_keys({key}));
    CAPTURE(said);
    CHECK(said.starts_with("usage: -k "));
    CHECK(said.find(message) != std::string::npos);
  }
  const std::vector<std::string> prefixes = {"24",  "24,",     "33,64", "24,129",
                                             "a,b", "24,64,1", "-1,0"};
  for (const std::string& prefix : prefixes) {
    CAPTURE(prefix);
    ReadFlags flags = with_keys({"ip:user"});
    flags.ip_prefix = prefix;
    CHECK(keys_of(csv, flags).find("not two numbers of bits") != std::string::npos);
  }
  ReadFlags flags = with_keys({"user"});
  flags.ip_prefix = "24,64";
  CHECK(keys_of(csv, flags).find("needs a key that is an address") != std::string::npos);
  flags.keys = {"none"};
  CHECK(keys_of(csv, flags).find("needs a key that is an address") != std::string::npos);
}

TEST_CASE("key expression: a prefix makes a field with the name of an address one") {
  ReadFlags flags = with_keys({"client_ip", "user"});
  flags.ip_prefix = "16,48";
  CHECK(keys_of("ts,client_ip,user\n1,192.0.2.9,u\n2,-,u\n3,x,u\n", flags) ==
        "192.0.0.0/16 | u, - | u, x | u");
}

TEST_CASE("key expression: a key that is found takes the role where spellings differ") {
  CHECK(keys_of("ts,client_ip\n1,192.0.2.1:1\n2,192.0.2.1:2\n", {}) == "192.0.2.1, 192.0.2.1");
  CHECK(keys_of("ts,client_ip\n1,::FFFF:192.0.2.1\n2,192.0.2.1\n", {}) == "192.0.2.1, 192.0.2.1");
  CHECK(read_text("ts,client_ip\n1,192.0.2.1\n").plan.key[0].shape.raw());
}

TEST_CASE("missing keys: own, skipped or bad, and a tuple lacks a key when it lacks a part") {
  const std::string csv = "ts,user,host\n1,a,h\n2,-,h\n3,,h\n4,b,-\nx,,h\n";
  ReadFlags flags = with_keys({"user"});
  CHECK(keys_of(csv, flags) == "a, -, -, b");
  flags.missing_key = MissingKey::kSkip;
  CHECK(keys_of(csv, flags) == "a, b");
  flags.keys = {"user", "host"};
  CHECK(keys_of(csv, flags) == "a | h");
  flags.missing_key = MissingKey::kBad;
  const ReadText read = read_text(csv, flags);
  CHECK(read.requests.size() == 1);
  REQUIRE(read.bad.size() == 4);
  CHECK(read.bad[0].kind == BadKind::kTimestamp);
  CHECK(read.bad[1].reason == "no user");
  CHECK(read.bad[1].line == 3);
  CHECK(read.bad[1].column == 3);
  CHECK(read.bad[3].reason == "no host");
  flags.missing_key = MissingKey::kOwn;
  CHECK(keys_of(csv, flags) == "a | h, - | h, - | h, b | -");
}
