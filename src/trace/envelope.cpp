// SPDX-License-Identifier: Apache-2.0
#include "trace/envelope.hpp"

#include <algorithm>
#include <array>

#include "trace/digits.hpp"
#include "trace/json_scan.hpp"

namespace ratereplay {
namespace {

using What = WrappedLine::What;

/// Takes the text up to the next `end` off `line`; false when there is none.
bool take_until(std::string_view& line, char end, std::string_view& text) {
  const std::size_t at = line.find(end);
  if (at == line.npos) return false;
  text = line.substr(0, at);
  line.remove_prefix(at + 1);
  return true;
}

/// `\n` at the end of the raw text of a JSON string, where the backslash is not itself escaped.
bool ends_with_escape(std::string_view raw, char letter) {
  if (!raw.ends_with(letter)) return false;
  raw.remove_suffix(1);
  std::size_t slashes = 0;
  for (; raw.ends_with('\\'); raw.remove_suffix(1)) ++slashes;
  return slashes % 2 == 1;
}

/// Kubernetes: `2026-01-02T03:04:05.123456789Z stdout F line`; P in place of F for all parts of a
/// long line but the last.
class Cri final : public Envelope {
 public:
  [[nodiscard]] std::string_view name() const override { return "cri"; }
  [[nodiscard]] std::string_view title() const override { return "a container log (CRI)"; }
  [[nodiscard]] WrappedLine unwrap(std::string_view line) const override {
    WrappedLine found;
    if (!has_shape(line, "9999-99-99T99:99:99")) return found;
    std::string_view time;
    if (!take_until(line, ' ', time) || time.size() > 40) return found;
    if (line.starts_with("stderr ")) {
      found.stream = 1;
      found.event = true;
    } else if (!line.starts_with("stdout ")) {
      return found;
    }
    line.remove_prefix(7);
    // Tags are joined by colons; the first says whether the line is whole.
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view tag = line.substr(0, std::min(line.find(':'), space));
    if (tag != "F" && tag != "P") return found;
    found.what = tag == "F" ? What::kWhole : What::kPart;
    found.text = line.substr(std::min(space + 1, line.size()));
    return found;
  }
};

/// Docker's json-file: `{"log":"line\n","stream":"stdout","time":"…"}`; a text without a line feed
/// is part of a line.
class Docker final : public Envelope {
 public:
  [[nodiscard]] std::string_view name() const override { return "docker"; }
  [[nodiscard]] std::string_view title() const override { return "a container log (Docker)"; }
  [[nodiscard]] WrappedLine unwrap(std::string_view line) const override {
    WrappedLine found;
    JsonScanner scanner(line);
    std::string_view log;
    std::string_view stream;
    bool timed = false;
    if (scanner.next() != '{' || !scanner.take('{')) return found;
    do {
      std::string_view name;
      bool escaped = false;
      if (scanner.next() != '"' || !scanner.take_string(name, escaped)) return found;
      if (!scanner.take(':')) return found;
      const bool text = scanner.next() == '"';
      if (text && name == "log") {
        if (!scanner.take_string(log, found.escaped)) return found;
      } else if (text && name == "stream") {
        if (!scanner.take_string(stream, escaped)) return found;
      } else {
        if (!scanner.skip_value()) return found;
        timed = timed || (text && name == "time");
      }
    } while (scanner.take(','));
    if (!scanner.take('}') || scanner.next() != '\0' || scanner.at() != scanner.end()) return found;
    if (log.data() == nullptr || !timed || (stream != "stdout" && stream != "stderr")) return found;
    found.event = stream == "stderr";
    found.stream = found.event ? 1 : 0;
    found.what = ends_with_escape(log, 'n') ? What::kWhole : What::kPart;
    if (found.what == What::kWhole) log.remove_suffix(2);
    if (ends_with_escape(log, 'r')) log.remove_suffix(2);
    found.text = log;
    return found;
  }
};

/// What Caddy writes to a console: `2021/03/12
/// 08:57:48.541<TAB>info<TAB>http.log.access<TAB>handled request<TAB>{…}`, where the object lacks
/// the time.
class Caddy final : public Envelope {
 public:
  [[nodiscard]] std::string_view name() const override { return "caddy"; }
  [[nodiscard]] std::string_view title() const override { return "a Caddy log for a console"; }
  [[nodiscard]] WrappedLine unwrap(std::string_view line) const override {
    WrappedLine found;
    if (!has_shape(line, "9999/99/99 99:99:99")) return found;
    std::string_view time;
    std::string_view level;
    if (!take_until(line, '\t', time) || !take_until(line, '\t', level)) return found;
    if (time.find_first_not_of("0123456789/:. ") != time.npos) return found;
    // The object is the last of the fields; a message alone is no request.
    const std::size_t object = line.find("\t{");
    found.what = What::kWhole;
    found.event = object == line.npos;
    found.text = line;
    if (found.event) return found;
    found.time = time;
    found.text = line.substr(object + 1);
    return found;
  }
};

/// Syslog as RFC 5424 has it, `<134>1 2026-01-02T03:04:05Z host nginx 7 - - line`, and as RFC 3164
/// and rsyslog do: `<134>Jan  2 03:04:05 host nginx[7]: line`. The priority may be missing.
class Syslog final : public Envelope {
 public:
  [[nodiscard]] std::string_view name() const override { return "syslog"; }
  [[nodiscard]] std::string_view title() const override { return "syslog"; }
  [[nodiscard]] WrappedLine unwrap(std::string_view line) const override {
    WrappedLine found;
    // Other programs write to the same log.
    found.event = true;
    if (line.starts_with('<')) {
      std::string_view priority;
      take_until(line, '>', priority);
      if (priority.size() < 2 || priority.size() > 4) return found;
      if (priority.find_first_not_of("0123456789", 1) != line.npos) return found;
    }
    if (line.starts_with("1 ") ? skip_5424(line) : skip_3164(line)) {
      found.what = What::kWhole;
      found.text = line;
    }
    return found;
  }

 private:
  static bool skip_5424(std::string_view& line) {
    std::string_view field;
    for (int i = 0; i < 6; ++i) {
      if (!take_until(line, ' ', field) || field.empty()) return false;
    }
    // Structured data: `-`, or brackets in which quotes hide brackets.
    if (line.starts_with('-')) {
      line.remove_prefix(1);
    } else if (!skip_elements(line)) {
      return false;
    }
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    return true;
  }

  static bool skip_elements(std::string_view& line) {
    if (!line.starts_with('[')) return false;
    bool quoted = false;
    std::size_t at = 1;
    for (; at < line.size(); ++at) {
      if (line[at] == '\\') {
        ++at;
      } else if (line[at] == '"') {
        quoted = !quoted;
      } else if (!quoted && line[at] == ']' && !line.substr(at + 1).starts_with('[')) {
        line.remove_prefix(at + 1);
        return true;
      }
    }
    return false;
  }

  static bool skip_3164(std::string_view& line) {
    constexpr std::size_t kStampBytes = 15;  // Jan  2 03:04:05
    std::string_view field;
    if (has_shape(line, "9999-99-99T99:99:99")) {
      take_until(line, ' ', field);
    } else if (line.size() > kStampBytes && line[3] == ' ' && line[kStampBytes] == ' ' &&
               has_shape(line.substr(7), "99:99:99")) {
      line.remove_prefix(kStampBytes + 1);
    } else {
      return false;
    }
    std::string_view tag;
    if (!take_until(line, ' ', field) || !take_until(line, ' ', tag)) return false;
    return tag.size() > 1 && tag.ends_with(':');
  }
};

}  // namespace

std::span<const Envelope* const> envelopes() {
  static const Cri cri;
  static const Docker docker;
  static const Caddy caddy;
  static const Syslog syslog;
  static const std::array<const Envelope*, 4> list = {&cri, &docker, &caddy, &syslog};
  return list;
}

const Envelope* envelope_named(std::string_view name) {
  const auto list = envelopes();
  const auto found =
      std::ranges::find(list, name, [](const Envelope* each) { return each->name(); });
  return found == list.end() ? nullptr : *found;
}

}  // namespace ratereplay
