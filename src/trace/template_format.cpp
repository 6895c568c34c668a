// SPDX-License-Identifier: Apache-2.0
#include "trace/template_format.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/digits.hpp"
#include "trace/lines.hpp"
#include "trace/request_parts.hpp"
#include "trace/row_builder.hpp"

namespace ratereplay {
namespace {

class TemplateReader final : public BlockReader {
 public:
  TemplateReader(std::shared_ptr<const LineTemplate> lines, RequestParts parts,
                 const ReadPlan& plan)
      : lines_(std::move(lines)),
        parts_(std::move(parts)),
        builder_(plan),
        wanted_(parts_.places(plan)),
        texts_(parts_.names().size()),
        cells_(plan.wanted.size()),
        splits_request_(parts_.wants_parts(wanted_)) {}

  void read(const Block& block, RowBatch& batch) override {
    read_record_lines(block, batch,
                      [&](std::string_view record, std::uint64_t line, std::uint32_t shift) {
                        read_line(record, line, shift, batch);
                      });
  }

 private:
  void read_line(std::string_view record, std::uint64_t line, std::uint32_t shift,
                 RowBatch& batch) {
    const std::span<std::string_view> fields(texts_.data(), lines_->fields().size());
    if (const LineFault fault = lines_->split(record, fields); !fault.none()) {
      batch.add_bad(fault.kind, line, fault.offset + 1 + shift,
                    [&] { return std::string(fault.reason); });
      return;
    }
    if (splits_request_) parts_.split(texts_);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      cells_[i] = field_cell(record, texts_[wanted_[i]], shift);
    }
    builder_.build(cells_, line, batch);
  }

  std::shared_ptr<const LineTemplate> lines_;
  RequestParts parts_;
  RowBuilder builder_;
  std::vector<std::size_t> wanted_;
  std::vector<std::string_view> texts_;
  std::vector<Cell> cells_;
  bool splits_request_;
};

class TemplateFormat final : public Format {
 public:
  explicit TemplateFormat(TemplateSpec spec)
      : name_(std::move(spec.name)),
        flag_(spec.flag.empty() ? name_ : std::move(spec.flag)),
        summary_(std::move(spec.summary)),
        lines_(std::make_shared<const LineTemplate>(std::move(spec.lines))),
        parts_(names_of(*lines_)),
        is_mine_(spec.is_mine) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string flag() const override { return flag_; }
  [[nodiscard]] std::string_view summary() const override { return summary_; }
  [[nodiscard]] std::string_view default_key() const override { return "ip"; }
  [[nodiscard]] bool dash_is_missing() const override { return true; }

  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    Recognition found;
    if (is_mine_ != nullptr) {
      std::vector<std::string_view> texts(lines_->fields().size());
      found.score = score_record_lines(sample, [&](std::string_view line) {
        return lines_->may_fit(line) && lines_->split(line, texts).none() && is_mine_(texts);
      });
    }
    found.layout.names = parts_.names();
    return found;
  }

  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout&) const override {
    SampleTable table;
    for (const std::string& name : parts_.names()) table.fields.push_back({name, {}, {}});
    const std::span<const TemplateField> fields = lines_->fields();
    for (std::size_t i = 0; i < fields.size(); ++i) table.fields[i].time = fields[i].time;
    std::vector<std::string_view> texts(table.fields.size());
    each_record_line(sample, [&](std::string_view line) {
      if (!lines_->split(line, std::span(texts).first(fields.size())).none()) return;
      parts_.split(texts);
      add_record(table, line, texts);
    });
    return table;
  }

  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<LineCutter>();
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<TemplateReader>(lines_, parts_, plan);
  }

 private:
  static std::vector<std::string> names_of(const LineTemplate& lines) {
    std::vector<std::string> names;
    for (const TemplateField& field : lines.fields()) names.push_back(field.name);
    return names;
  }

  std::string name_;
  std::string flag_;
  std::string summary_;
  std::shared_ptr<const LineTemplate> lines_;
  RequestParts parts_;
  bool (*is_mine_)(std::span<const std::string_view>);
};

}  // namespace

std::unique_ptr<const Format> make_template_format(TemplateSpec spec) {
  return std::make_unique<TemplateFormat>(std::move(spec));
}

bool is_iso_start(std::string_view text) noexcept { return has_shape(text, "9999-99-99T99:99:99"); }

bool is_number(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_clf_start(std::string_view text) noexcept {
  return has_shape(text, "99/") && text.size() > 6 && has_shape(text.substr(6), "/9999:99:99:99");
}

}  // namespace ratereplay
