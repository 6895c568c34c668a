// SPDX-License-Identifier: Apache-2.0
#include "trace/field_names.hpp"

#include <algorithm>
#include <array>

namespace ratereplay {
namespace {

constexpr std::array<std::string_view, 20> kAddressNames = {"clientip",
                                                            "ip",
                                                            "remoteaddr",
                                                            "remoteip",
                                                            "ipaddress",
                                                            "sourceip",
                                                            "srcip",
                                                            "clientaddress",
                                                            "clientaddr",
                                                            "clienthost",
                                                            "remoteaddress",
                                                            "downstreamremoteaddress",
                                                            "cip",
                                                            "orighost",
                                                            "origh",
                                                            "clientport",
                                                            "realipremoteaddr",
                                                            "peerip",
                                                            "xforwardedfor",
                                                            "httpxforwardedfor"};

constexpr std::array<std::string_view, 27> kKeyNames = {"key",
                                                        "clientip",
                                                        "ip",
                                                        "remoteaddr",
                                                        "remoteip",
                                                        "ipaddress",
                                                        "sourceip",
                                                        "srcip",
                                                        "clientaddress",
                                                        "clienthost",
                                                        "clientaddr",
                                                        "remoteaddress",
                                                        "downstreamremoteaddress",
                                                        "cip",
                                                        "origh",
                                                        "user",
                                                        "userid",
                                                        "username",
                                                        "client",
                                                        "clientid",
                                                        "customer",
                                                        "customerid",
                                                        "tenant",
                                                        "tenantid",
                                                        "apikey",
                                                        "account",
                                                        "host"};

constexpr std::array<std::string_view, 6> kUserNames = {
    "user", "userid", "username", "remoteuser", "clientusername", "csusername"};
constexpr std::array<std::string_view, 5> kMethodNames = {
    "method", "requestmethod", "clientrequestmethod", "csmethod", "httpmethod"};
constexpr std::array<std::string_view, 9> kPathNames = {
    "path", "uri",       "requestpath",      "requesturi", "clientrequesturi",
    "url",  "csuristem", "xenvoyoriginpath", "requesturl"};
constexpr std::array<std::string_view, 10> kHostNames = {
    "host",       "requesthost", "clientrequesthost", "authority",  "cshost",
    "servername", "vhost",       "httphost",          "hostheader", "domainname"};
constexpr std::array<std::string_view, 9> kStatusNames = {
    "status",           "statuscode",     "responsecode",
    "downstreamstatus", "responsestatus", "edgeresponsestatus",
    "scstatus",         "elbstatuscode",  "httpstatus"};

// The order of spec: timestamp, time, ts, @timestamp, datetime, date (with time), start…, *_time,
// *_at; then names that others use.
constexpr std::array<std::string_view, 8> kTimeNames = {"timestamp", "time", "ts", "@timestamp",
                                                        "datetime",  "date", "t",  "epoch"};
constexpr int kStartRank = 100;
constexpr int kTimeRank = 110;
constexpr int kAtRank = 120;
constexpr int kOtherRank = 130;
constexpr int kEndLater = 48;  // an end goes behind all others

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string_view leaf(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot + 1 == name.size() ? name : name.substr(dot + 1);
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : leaf(name)) {
    if (std::string_view("_-@ :()").find(c) == std::string_view::npos) plain += lower(c);
  }
  return plain;
}

bool is_start(std::string_view name) {
  const std::string plain = plain_name(name);
  return plain.starts_with("start") || plain.ends_with("creationtime");
}

std::optional<int> time_rank(std::string_view name) {
  // A name of its own goes before the same name deep inside a record.
  const int depth = static_cast<int>(std::count(name.begin(), name.end(), '.'));
  const std::string last = lowered(leaf(name));
  for (std::size_t i = 0; i < kTimeNames.size(); ++i) {
    if (last == kTimeNames[i]) return static_cast<int>(i) * 10 + std::min(depth, 9);
  }
  const std::string plain = plain_name(name);
  const auto has = [&plain](std::string_view part) { return plain.find(part) != plain.npos; };
  // The arrival is where a request starts; of two zones' spellings UTC needs no rule.
  constexpr std::array<std::string_view, 8> kEnds = {"end",   "updat",   "modif",  "finish",
                                                     "expir", "complet", "closed", "deleted"};
  const bool start = has("start") || has("creat");
  const bool end = !start && !has("send") && std::any_of(kEnds.begin(), kEnds.end(), has);
  int fine = start ? 2 : end ? kEndLater : 5;
  if (has("utc")) --fine;
  if (plain.starts_with("start")) return kStartRank + fine;
  if (plain == "msec") return kTimeRank;  // nginx; finer than its other stamps
  if (plain.ends_with("time") || plain.ends_with("timestamp") || plain.starts_with("time")) {
    return kTimeRank + fine;
  }
  if (plain == "created" || last.ends_with("_at") || last.ends_with("-at") ||
      leaf(name).ends_with("At") || leaf(name) == "atMs") {  // our own decisions
    return kAtRank + fine;
  }
  if (last.ends_with("_ts") || plain.starts_with("date") || plain.ends_with("date") ||
      plain.ends_with("utc") || has("time") || has("unix")) {
    return kOtherRank + fine;
  }
  return std::nullopt;
}

bool is_duration(std::string_view name) {
  constexpr std::array<std::string_view, 7> kParts = {
      "timetaken", "firstbyte", "duration", "elapsed", "latency", "processingtime", "responsetime"};
  constexpr std::array<std::string_view, 7> kWhole = {
      "requesttime", "upstreamheadertime",  "upstreamconnecttime", "connecttime",
      "waittime",    "upstreamservicetime", "servicetime"};
  const std::string plain = plain_name(name);
  const auto has = [&plain](std::string_view part) { return plain.find(part) != plain.npos; };
  return std::any_of(kParts.begin(), kParts.end(), has) ||
         std::find(kWhole.begin(), kWhole.end(), plain) != kWhole.end();
}

std::span<const std::string_view> key_names() { return kKeyNames; }

std::span<const std::string_view> role_names(std::string_view role) {
  if (role == "ip") return kAddressNames;
  if (role == "user") return kUserNames;
  if (role == "method") return kMethodNames;
  if (role == "path") return kPathNames;
  if (role == "host") return kHostNames;
  if (role == "status") return kStatusNames;
  return {};
}

bool is_address_name(std::string_view plain) {
  return std::find(kAddressNames.begin(), kAddressNames.end(), plain) != kAddressNames.end();
}

bool is_request_object(std::string_view path) {
  const std::string plain = plain_name(path);
  return plain == "request" || plain == "httprequest" || plain == "req";
}

bool is_byte_count(std::string_view plain) {
  constexpr std::array<std::string_view, 3> kEndings = {"size", "len", "length"};
  return plain.find("bytes") != plain.npos ||
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return plain.ends_with(ending); });
}

}  // namespace ratereplay
