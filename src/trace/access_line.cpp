// SPDX-License-Identifier: Apache-2.0
#include "trace/access_line.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "trace/bytes16.hpp"
#include "trace/digits.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::uint64_t kPlainUsers = 0x5B'20'2D'20'2D'20;  // ` - - [`
constexpr std::size_t kPlainStamp = 26;                     // dd/Mon/yyyy:hh:mm:ss +zzzz
// Where stamp and request stand behind the client, if both users are dashes.
constexpr std::size_t kPlainTime = 6;
constexpr std::size_t kPlainRequest = kPlainTime + kPlainStamp + 2;

/// The head of nearly every line: ` - - [stamp] "` behind a client that ends at `space`.
bool is_plain_head(std::string_view line, std::size_t space) noexcept {
  if (line.size() - space <= kPlainRequest) return false;
  const char* const at = line.data() + space;
  return (load8(at) << 16) == kPlainUsers << 16 && at[kPlainRequest - 2] == ']' &&
         at[kPlainRequest - 1] == ' ' && at[kPlainRequest] == '"' && line.front() != '"' &&
         at[-1] != ',';
}

/// The first blank; short where the client is an address.
std::size_t find_blank(std::string_view line) noexcept {
#if defined(__x86_64__)
  if (line.size() >= 16) {
    const std::uint32_t hits = byte_bits(_mm_cmpeq_epi8(load16(line.data()), _mm_set1_epi8(' ')));
    if (hits != 0) return static_cast<std::size_t>(std::countr_zero(hits));
  }
#endif
  return line.find(' ');
}

/// The bracket that opens the time: a user name may hold brackets of its own.
std::size_t find_time(std::string_view line, std::size_t from) noexcept {
  for (std::size_t at = from;; ++at) {
    at = line.find('[', at);
    if (at == kNone) return kNone;
    const std::string_view after = line.substr(at + 1);
    if (line[at - 1] == ' ' && after.size() > 2 && is_digit(after[0]) &&
        (after[1] == '/' || after[2] == '/')) {
      return at;
    }
  }
}

}  // namespace

std::size_t closing_quote(std::string_view text) noexcept {
  for (std::size_t at = text.find('"'); at != kNone; at = text.find('"', at + 1)) {
    std::size_t slashes = 0;
    while (slashes < at && text[at - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0 && (at + 1 == text.size() || text[at + 1] == ' ')) return at;
  }
  return text.size();
}

RequestLine split_request(std::string_view request) noexcept {
  const std::size_t first = request.find(' ');
  const std::size_t last = request.rfind(' ');
  if (first == kNone || first == 0 || last <= first ||
      !request.substr(last + 1).starts_with("HTTP/")) {
    return {};
  }
  return {request.substr(0, first), request.substr(first + 1, last - first - 1),
          request.substr(last + 1)};
}

LineFault AccessLine::split_head(std::string_view line, std::string_view& rest) noexcept {
  const auto set = [this](AccessField field, std::string_view text) {
    fields[static_cast<std::size_t>(field)] = text;
  };
  std::size_t space = find_blank(line);
  if (space == kNone || space == 0) return {BadKind::kSyntax, 0, "not an access log line"};
  if (is_plain_head(line, space)) [[likely]] {
    const char* const at = line.data() + space;
    set(AccessField::kIp, {line.data(), space});
    set(AccessField::kIdent, {at + 1, 1});
    set(AccessField::kUser, {at + 3, 1});
    set(AccessField::kTime, {at + kPlainTime, kPlainStamp});
    rest = {at + kPlainRequest, line.size() - space - kPlainRequest};
    return {};
  }
  std::string_view client = line.substr(0, space);
  if (client.front() == '"') [[unlikely]] {
    if (const std::size_t close = line.find("\" ", 1); close != kNone) {
      space = close + 1;
      client = line.substr(1, close - 1);
    }
    client = client.substr(0, client.find(','));
  } else if (client.back() == ',') [[unlikely]] {
    client.remove_suffix(1);
  }
  set(AccessField::kIp, client);

  std::size_t open = space + 5;
  if (line.size() >= space + 8 && (load8(line.data() + space) << 16) == kPlainUsers << 16) {
    set(AccessField::kIdent, line.substr(space + 1, 1));
    set(AccessField::kUser, line.substr(space + 3, 1));
  } else {
    open = find_time(line, space + 1);
    if (open == kNone) return {BadKind::kSyntax, space + 1, "no [time] after the client"};
    const std::string_view between = line.substr(space + 1, open - space - 1);
    const std::size_t split = between.find(' ');
    if (split == kNone || split + 1 >= between.size()) {
      return {BadKind::kColumns, space + 1, "no identity and user before the time"};
    }
    set(AccessField::kIdent, between.substr(0, split));
    set(AccessField::kUser, between.substr(split + 1, between.size() - split - 2));
  }

  const std::size_t start = open + 1;
  std::size_t close = start + kPlainStamp;
  if (close >= line.size() || line[close] != ']') close = line.find(']', start);
  if (close == kNone) return {BadKind::kSyntax, open, "the time has no closing bracket"};
  set(AccessField::kTime, line.substr(start, close - start));
  rest = line.substr(close + 1);
  if (!rest.starts_with(" \"")) return {BadKind::kSyntax, close + 1, "no request after the time"};
  rest.remove_prefix(1);
  return {};
}

void AccessLine::split_rest(std::string_view rest, AccessField last) noexcept {
  const auto set = [this](AccessField field, std::string_view text) {
    fields[static_cast<std::size_t>(field)] = text;
  };
  for (std::size_t i = static_cast<std::size_t>(AccessField::kMethod); i < fields.size(); ++i) {
    fields[i] = {};
  }
  // Each step takes its field and leaves what follows the blank behind it.
  const auto quoted = [&](AccessField field) {
    if (!rest.starts_with('"')) return false;
    rest.remove_prefix(1);
    const std::size_t end = closing_quote(rest);
    set(field, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!rest.starts_with(' ')) return false;
    rest.remove_prefix(1);
    return true;
  };
  const auto bare = [&](AccessField field) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end == 0) return false;
    set(field, rest.substr(0, end));
    rest.remove_prefix(end);
    if (rest.empty()) return false;
    rest.remove_prefix(1);
    return true;
  };
  const bool behind_request = quoted(AccessField::kRequest);
  const RequestLine request = split_request((*this)[AccessField::kRequest]);
  set(AccessField::kMethod, request.method);
  set(AccessField::kPath, request.path);
  set(AccessField::kProtocol, request.protocol);
  if (last <= AccessField::kRequest) return;
  if (!behind_request || !bare(AccessField::kStatus) || !bare(AccessField::kBytes)) return;
  if (last <= AccessField::kBytes || !quoted(AccessField::kReferer)) return;
  if (last == AccessField::kUserAgent) quoted(AccessField::kUserAgent);
}

}  // namespace ratereplay
