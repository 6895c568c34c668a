// SPDX-License-Identifier: Apache-2.0
#include "trace/combined.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/access_line.hpp"
#include "trace/access_window.hpp"
#include "trace/digits.hpp"
#include "trace/fields.hpp"
#include "trace/lines.hpp"
#include "trace/row_builder.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {
namespace {

/// The short way for the most common lines and plan: keyed by the client, which is an IPv4 address,
/// behind it two dashes and the stamp, and nothing else that must be known. It takes a line only
/// when it makes of it exactly what AccessLine and RowBuilder would.
class PlainLines {
 public:
  /// `fields` are the wanted ones, by position.
  static std::optional<PlainLines> of(const ReadPlan& plan,
                                      const std::vector<std::size_t>& fields) {
    if (plan.time.size() != 1 || plan.key.size() != 1 || !plan.cost.empty()) return std::nullopt;
    if (plan.duration || plan.filter.any() || plan.may_end_early) return std::nullopt;
    const KeyShape& shape = plan.key[0].shape;
    if (!shape.raw() && !shape.plain_ip()) return std::nullopt;
    if (plan.time_format.style != TimeStyle::kClf || plan.time_format.zoned()) return std::nullopt;
    if (fields[plan.time[0]] != static_cast<std::size_t>(AccessField::kTime) ||
        fields[plan.key[0].wanted] != static_cast<std::size_t>(AccessField::kIp)) {
      return std::nullopt;
    }
    return PlainLines(plan.time_format);
  }

  /// Adds the row that starts `text` and returns the bytes of its line; 0 = nothing was done.
  std::size_t take(std::string_view text, RowBatch& batch) {
    const char* const line = text.data();
    const char* const end = line + text.size();
    const std::size_t client = AccessWindow::address_bytes(line);
    if (client < kLeastClient || client > kMostClient || text.size() < client + kHead) return 0;
    const char* const head = line + client;
    if (!same_stamp(head) && !read_stamp(head)) [[unlikely]]
      return 0;
    if ((load4(head + kStampEnd) << 8) != kBehindStamp) [[unlikely]]
      return 0;
    const char* const feed = AccessWindow::find_feed(head + kHead, end);
    const auto size = static_cast<std::size_t>(feed + 1 - line);
    if (feed >= end || size > kMaxRecordBytes) [[unlikely]]
      return 0;
    batch.add(at_, {line, client}, 1);
    return size;
  }

 private:
  static constexpr std::size_t kLeastClient = 2;
  static constexpr std::size_t kMostClient = 15;
  static constexpr std::string_view kUsers = " - - [";
  static constexpr std::size_t kStampEnd = 32;  // behind kUsers and 26 bytes
  static constexpr std::size_t kHead = kStampEnd + 3;
  static constexpr std::uint32_t kBehindStamp = 0x22'20'5D'00;  // `] "`

  explicit PlainLines(const TimeFormat& format) : times_(format) {
    static_cast<void>(read_stamp(" - - [01/Jan/1970:00:00:00 +0000"));
  }

  /// The dashes and the stamp are those of the row before.
  [[nodiscard]] bool same_stamp(const char* head) const noexcept {
    std::uint64_t other = 0;
    for (std::size_t i = 0; i < kStampEnd; i += 8) other |= load8(head + i) ^ load8(&last_[i]);
    return other == 0;
  }
  [[nodiscard]] bool read_stamp(const char* head) {
    const std::string_view users(head, kUsers.size());
    const std::string_view stamp(head + kUsers.size(), kStampEnd - kUsers.size());
    if (users != kUsers || stamp.find('\n') != stamp.npos || !times_.read(stamp, at_)) return false;
    std::copy_n(head, kStampEnd, last_.begin());
    return true;
  }

  TimeReader times_;
  std::array<char, kStampEnd> last_{};
  Instant at_{};  // that last_ holds
};

class AccessReader final : public BlockReader {
 public:
  explicit AccessReader(const ReadPlan& plan) : builder_(plan), cells_(plan.wanted.size()) {
    for (const WantedField& wanted : plan.wanted) {
      const auto name = std::find(kAccessNames.begin(), kAccessNames.end(), wanted.name);
      const std::size_t field =
          wanted.column ? *wanted.column : static_cast<std::size_t>(name - kAccessNames.begin());
      fields_.push_back(std::min(field, kAccessNames.size() - 1));
      last_ = std::max(last_, static_cast<AccessField>(fields_.back()));
    }
    plain_ = PlainLines::of(plan, fields_);
  }

  void read(const Block& block, RowBatch& batch) override {
    AccessLine parts;
    read_record_lines(
        block, batch,
        [&](std::string_view record, std::uint64_t line, std::uint32_t shift) {
          read_line(record, line, shift, parts, batch);
        },
        [&](std::string_view text) { return plain_ ? plain_->take(text, batch) : std::size_t{0}; });
  }

 private:
  /// `shift` bytes stand before the record in its line.
  void read_line(std::string_view record, std::uint64_t line, std::uint32_t shift,
                 AccessLine& parts, RowBatch& batch) {
    std::string_view rest;
    if (const LineFault fault = parts.split_head(record, rest); !fault.none()) {
      batch.add_bad(fault.kind, line, fault.offset + 1 + shift,
                    [&] { return std::string(fault.reason); });
      return;
    }
    if (last_ > AccessField::kTime) parts.split_rest(rest, last_);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      cells_[i] = field_cell(record, parts.fields[fields_[i]], shift);
    }
    builder_.build(cells_, line, batch);
  }

  std::optional<PlainLines> plain_;
  RowBuilder builder_;
  std::vector<std::size_t> fields_;  // of AccessLine, by wanted field
  std::vector<Cell> cells_;
  AccessField last_ = AccessField::kTime;  // nothing behind it is wanted
};

class AccessFormat final : public Format {
 public:
  explicit AccessFormat(bool combined) : combined_(combined) {}

  [[nodiscard]] std::string_view name() const override { return combined_ ? "combined" : "common"; }
  [[nodiscard]] std::string_view summary() const override {
    return combined_ ? "access log with referer and user agent (Apache, nginx)"
                     : "access log that ends with the byte count (NCSA common)";
  }
  [[nodiscard]] std::string_view default_key() const override { return "ip"; }
  [[nodiscard]] bool dash_is_missing() const override { return true; }

  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    Recognition found;
    found.score = score_record_lines(sample, [this](std::string_view line) {
      AccessLine parts;
      std::string_view rest;
      if (!parts.split_head(line, rest).none()) return false;
      // A client where the identity belongs stands behind a virtual host, or is the next of a list.
      const std::string_view client = parts[AccessField::kIp];
      const bool listed = client.data()[client.size()] == ',';
      if (!listed && parts[AccessField::kUser].find(' ') != std::string_view::npos &&
          looks_like_address(parts[AccessField::kIdent])) {
        return false;
      }
      parts.split_rest(rest);
      return combined_ ? parts.has(AccessField::kUserAgent)
                       : parts.has(AccessField::kBytes) && !parts.has(AccessField::kReferer);
    });
    found.layout = layout();
    return found;
  }

  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout&) const override {
    SampleTable table;
    for (const std::string_view field : kAccessNames) {
      table.fields.push_back({std::string(field), {}});
    }
    each_record_line(sample, [&](std::string_view line) {
      AccessLine parts;
      std::string_view rest;
      if (!parts.split_head(line, rest).none()) return;
      parts.split_rest(rest);
      add_record(table, line, parts.fields);
    });
    return table;
  }

  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<LineCutter>();
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<AccessReader>(plan);
  }

 private:
  static Layout layout() {
    Layout layout;
    layout.names.assign(kAccessNames.begin(), kAccessNames.end());
    return layout;
  }

  bool combined_;
};

}  // namespace

const Format& combined_format() {
  static const AccessFormat format(true);
  return format;
}

const Format& common_format() {
  static const AccessFormat format(false);
  return format;
}

}  // namespace ratereplay
