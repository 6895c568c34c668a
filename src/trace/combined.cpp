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
#include "trace/fields.hpp"
#include "trace/lines.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay {
namespace {

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
  }

  void read(const Block& block, RowBatch& batch) override {
    AccessLine parts;
    read_record_lines(block, batch,
                      [&](std::string_view record, std::uint64_t line, std::uint32_t shift) {
                        read_line(record, line, shift, parts, batch);
                      });
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
