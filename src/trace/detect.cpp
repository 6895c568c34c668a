// SPDX-License-Identifier: Apache-2.0
#include "trace/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "keys/row_batch.hpp"
#include "text/visible.hpp"
#include "trace/block.hpp"
#include "trace/elapsed.hpp"
#include "trace/field_names.hpp"
#include "trace/fields.hpp"
#include "trace/filter_plan.hpp"
#include "trace/key_expression.hpp"
#include "trace/recognise.hpp"
#include "trace/time_choice.hpp"
#include "trace/time_scan.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kShownRunnersUp = 2;

TimeDefaults time_defaults(const ReadFlags& flags) {
  TimeDefaults defaults;
  if (flags.zone) defaults.zone = parse_zone(*flags.zone);
  defaults.year = flags.year;
  return defaults;
}

/// Makes one plan, from format to cost.
class Planner {
 public:
  Planner(const Sample& sample, std::string_view file, const ReadFlags& flags)
      : file_(file), flags_(flags), defaults_(time_defaults(flags)) {
    FormatChoice choice = choose_format(sample, file, flags.format);
    plan_.format = choice.format;
    plan_.made_format = std::move(choice.made);
    plan_.format_detected = !flags.format || *flags.format == "auto";
    plan_.layout = std::move(choice.layout);
    runner_up_ = choice.runner_up;
    table_ = plan_.format->tabulate(sample, plan_.layout);
    if (table_.records == 0) refuse_all(sample);
  }

  ReadPlan make() {
    choose_time();
    choose_key();
    check_clients();
    choose_request();
    choose_cost();
    choose_duration();
    choose_filter();
    list_candidates();
    say();
    return std::move(plan_);
  }

 private:
  /// Says why none of the rows can be read.
  [[noreturn]] void refuse_all(const Sample& sample) {
    // With a field that no record has, so that not even a row that fits becomes a request.
    plan_.wanted = {WantedField{{}, std::nullopt}};
    plan_.time = {0};
    Block block;
    block.text =
        sample.text.substr(0, plan_.format->cutter(plan_.layout)->cut(sample.text, sample.whole));
    block.first_of_file = true;
    RowBatch batch;
    plan_.format->reader(plan_)->read(block, batch);
    const BadRow* first = nullptr;
    for (std::size_t kind = 0; kind < kBadKindNames.size(); ++kind) {
      const std::vector<BadRow>& bad = batch.first_bad(static_cast<BadKind>(kind));
      if (!bad.empty() && (first == nullptr || bad.front().line < first->line))
        first = &bad.front();
    }
    std::string why = plan_.layout.header ? "only a header" : "no row could be read";
    std::vector<std::string> advice;
    if (first != nullptr) {
      const std::uint32_t rows = batch.rows();
      why = rows == 1 ? "its only row could not be read"
                      : fmt::format("none of its {}{} rows could be read",
                                    sample.whole ? "" : "first ", rows);
      advice.push_back(fmt::format("the first is at {}:{}, {}: {}", first->line, first->column,
                                   kBadKindNames[static_cast<std::size_t>(first->kind)],
                                   first->reason));
    }
    advice.push_back(fmt::format("read as {}; -F names another format", plan_.format->name()));
    throw Error(ErrorKind::kInput, fmt::format("no request in {}: {}", file_, why),
                std::move(advice));
  }

  [[nodiscard]] std::size_t want(std::size_t field) {
    const std::string& name = table_.fields[field].name;
    WantedField wanted{name, std::nullopt};
    if (!plan_.layout.names.empty()) wanted.column = field;
    for (std::size_t i = 0; i < plan_.wanted.size(); ++i) {
      if (plan_.wanted[i].name == name && plan_.wanted[i].column == wanted.column) return i;
    }
    plan_.wanted.push_back(std::move(wanted));
    return plan_.wanted.size() - 1;
  }

  void choose_time() {
    std::optional<TimeFormat> pinned;
    if (flags_.time_format && *flags_.time_format != "auto") {
      pinned = parse_time_format(*flags_.time_format);
      if (pinned->style == TimeStyle::kPattern && lacks_year(pinned->pattern) && !defaults_.year) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("--time-format '{}' has no year", pinned->pattern),
                    {"say with --year which year the first row is of"});
      }
    }
    TimeChoice choice = flags_.time_field ? named_time(pinned) : detected_time(pinned);
    for (const std::size_t field : choice.fields) plan_.time.push_back(want(field));
    plan_.time_field = std::move(choice.shown);
    plan_.time_format = std::move(choice.format);
    if (plan_.time_format.year) plan_.year = defaults_.year;
  }

  [[nodiscard]] TimeChoice named_time(const std::optional<TimeFormat>& pinned) const {
    const std::string& text = *flags_.time_field;
    TimeChoice choice{need_sum(table_, plan_.layout, text, "--time-field", file_), text, {}};
    if (choice.fields.size() > 2) {
      throw Error(ErrorKind::kUsage, fmt::format("--time-field {}: at most two fields", text),
                  {"write date+time, or the name of one field"});
    }
    std::optional<TimeFormat> known = pinned;
    if (choice.fields.size() == 1) {
      choice.shown = table_.fields[choice.fields[0]].name;
      if (!known) known = table_.fields[choice.fields[0]].time;
    }
    std::vector<std::string> joined;
    std::vector<std::string_view> texts;
    if (choice.fields.size() == 2) {
      joined = joined_texts(table_, choice.fields[0], choice.fields[1]);
      texts.assign(joined.begin(), joined.end());
    } else {
      texts = texts_of(table_.fields[choice.fields[0]]);
    }
    if (known) {
      choice.format = defaults_.complete(*known, texts);
      return choice;
    }
    std::string why;
    if (const auto format = guess_time_format(texts, choice.shown, defaults_, why)) {
      choice.format = *format;
      return choice;
    }
    throw Error(ErrorKind::kInput,
                fmt::format("field '{}' of {} holds no time: {}", choice.shown, file_, why),
                {"say how it is written with --time-format, e.g. epoch-ms or '%d.%m.%Y %T'"});
  }

  [[nodiscard]] TimeChoice detected_time(const std::optional<TimeFormat>& pinned) {
    TimeChoices choices = time_choices(table_, pinned, defaults_);
    if (!choices.good.empty()) {
      for (std::size_t i = 1; i < choices.good.size() && i <= kShownRunnersUp; ++i) {
        other_times_.push_back(choices.good[i].shown);
      }
      return std::move(choices.good.front());
    }
    std::vector<std::string> advice = std::move(choices.refused);
    if (advice.empty()) advice.emplace_back("no field has the name or the look of a time");
    advice.emplace_back("name it with --time-field and, if need be, --time-format");
    for (std::string& line : field_lines(table_)) advice.push_back(std::move(line));
    throw Error(ErrorKind::kInput,
                fmt::format("no time found in {} (read as {})", file_, plan_.format->name()),
                std::move(advice));
  }

  void choose_key() {
    if (flags_.keys.empty()) {
      detect_key();
    } else if (flags_.keys != std::vector<std::string>{"none"}) {
      for (const std::string& text : flags_.keys) add_key(need_expression(scope(), text, "-k"));
    }
    plan_.missing_key = flags_.missing_key;
    if (flags_.ip_prefix) set_prefix(parse_ip_prefix(*flags_.ip_prefix));
  }

  [[nodiscard]] FieldScope scope() const {
    return {table_, plan_.layout, !plan_.format->default_key().empty(), file_};
  }

  void set_prefix(IpPrefix prefix) {
    bool any = false;
    for (std::size_t i = 0; i < plan_.key.size(); ++i) {
      KeyShape& shape = plan_.key[i].shape;
      // To ask for a prefix is to ask for the role.
      const std::string& name = table_.fields[chosen_keys_[i].index].name;
      if (shape.role == KeyRole::kRaw && is_address_name(plain_name(name))) {
        shape.role = KeyRole::kIp;
      }
      if (shape.role != KeyRole::kIp) continue;
      shape.prefix = prefix;
      chosen_keys_[i].shape = shape;
      any = true;
    }
    if (any) return;
    throw Error(ErrorKind::kUsage, "--ip-prefix needs a key that is an address",
                {"name it with -k ip, or -k ip:FIELD for a field of another name"});
  }

  void detect_key() {
    std::vector<FieldChoice> found;
    if (!plan_.format->default_key().empty()) {
      const std::string_view fixed = plan_.format->default_key();
      if (find_field(table_, plan_.layout, fixed, true)) {
        found.push_back(need_expression(scope(), fixed, "-k"));
      }
    }
    if (found.empty()) found = key_candidates(table_);
    if (found.empty()) return;
    for (FieldChoice& choice : found) choice = first_of_list(std::move(choice));
    for (std::size_t i = 1; i < found.size() && i <= kShownRunnersUp; ++i) {
      other_keys_.push_back(found[i].shown);
    }
    add_key(std::move(found.front()));
  }

  /// What proxies add to, each the address that it sees, is no key as a whole: every way to the
  /// server would be a client of its own.
  [[nodiscard]] FieldChoice first_of_list(FieldChoice choice) const {
    const SampleTable::Field& field = table_.fields[choice.index];
    const std::string plain = plain_name(field.name);
    if (field.name.empty() || !(choice.shape.role == KeyRole::kIp || is_address_name(plain))) {
      return choice;
    }
    if (!plain.ends_with("forwardedfor") && !holds_address_list(field)) return choice;
    const bool known = scope().own_names && field.name == "ip";
    return need_expression(scope(), fmt::format("{}{}[0]", known ? "" : "ip:", field.name), "-k");
  }

  /// Access logs take whatever stands in front for the client. Where it hardly can be one, whoever
  /// trusts the counts has to know.
  void check_clients() {
    if (!scope().own_names) return;
    for (const FieldChoice& key : chosen_keys_) {
      if (key.shape.role != KeyRole::kIp || key.shape.element) continue;
      const StrangeClients strange = strange_clients(table_, key.index);
      if (strange.count * 2 <= strange.of) continue;
      plan_.warnings.push_back(
          {fmt::format("{}: '{}' and the like ({} of {} rows looked at) are taken for clients, but "
                       "are hardly any",
                       file_, visible(strange.first), strange.count, strange.of),
           std::nullopt,
           {"say how the lines are written with -F 'nginx:…', 'apache:…' or 'regex:…'",
            "or cut off what stands in front of the client, e.g. by docker compose or grep"}});
    }
  }

  void add_key(FieldChoice choice) {
    const std::size_t wanted = want(choice.index);
    chosen_keys_.push_back(choice);
    plan_.key.push_back({wanted, choice.shape, std::move(choice.shown)});
  }

  /// By the key that lies in such an object, or with one key for all by the first field in one.
  void choose_request() {
    const auto add = [this](std::size_t field) {
      const std::string_view object = parent_of(table_.fields[field].name);
      const bool known = std::ranges::find(table_.objects, object) != table_.objects.end();
      if (known && is_request_object(object)) {
        plan_.request = RequestObject{std::string(object), want(field)};
      }
    };
    for (const FieldChoice& key : chosen_keys_) {
      if (!plan_.request) add(key.index);
    }
    if (!chosen_keys_.empty()) return;
    for (std::size_t i = 0; i < table_.fields.size() && !plan_.request; ++i) {
      if (is_common(table_, i)) add(i);
    }
  }

  void list_candidates() {
    const auto add = [this](const FieldChoice& choice) {
      const auto same = [&](const KeyCandidate& one) { return one.field == choice.shown; };
      if (std::none_of(plan_.candidates.begin(), plan_.candidates.end(), same)) {
        plan_.candidates.push_back(count_keys(table_, choice));
      }
    };
    for (const FieldChoice& choice : chosen_keys_) add(choice);
    for (const FieldChoice& choice : key_candidates(table_)) {
      const std::string& name = table_.fields[choice.index].name;
      add(first_of_list(scope().own_names ? need_expression(scope(), name, "-k") : choice));
    }
    for (const std::string_view name : {"user", "host", "path"}) {
      if (find_field(table_, plan_.layout, name, true)) add(need_expression(scope(), name, "-k"));
    }
  }

  void choose_cost() {
    if (flags_.cost_field) {
      plan_.cost_field = *flags_.cost_field;
      for (const std::size_t field :
           need_sum(table_, plan_.layout, plan_.cost_field, "--cost-field", file_)) {
        add_cost(field);
      }
      if (plan_.cost.size() == 1) plan_.cost_field = plan_.wanted[plan_.cost[0]].name;
    } else if (const auto cost = find_field(table_, plan_.layout, "cost", false)) {
      plan_.cost_field = "cost";
      add_cost(cost->index);
    }
  }

  void add_cost(std::size_t field) {
    // Servers write `-` where no byte was sent.
    const bool bytes =
        plan_.format->dash_is_missing() || is_byte_count(plain_name(table_.fields[field].name));
    plan_.cost_dash_is_zero = bytes && (plan_.cost.empty() || plan_.cost_dash_is_zero);
    plan_.cost.push_back(want(field));
  }

  void choose_filter() {
    plan_.filter = plan_filter(flags_, plan_.time_format, scope(),
                               [this](std::size_t field) { return want(field); });
    plan_.may_end_early = flags_.head.has_value();
    if (flags_.exclude_status) return;
    if (auto warning = warn_refused(scope())) plan_.warnings.push_back(*std::move(warning));
  }

  void choose_duration() {
    if (!flags_.duration_field) return;
    std::string_view name = *flags_.duration_field;
    std::optional<Duration> unit;
    if (!find_field(table_, plan_.layout, name, false)) {
      if (const auto parts = split_unit(name)) {
        name = parts->first;
        unit = parts->second;
      }
    }
    const FieldChoice choice =
        need_field(table_, plan_.layout, name, "--duration-field", file_, false);
    if (!unit) unit = elapsed_unit(table_, choice.index);
    if (!unit) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--duration-field {}: the unit is not known", name),
                  {fmt::format("write --duration-field {} (or :s, :us, :ns)",
                               shell_word(fmt::format("{}:ms", name)))});
    }
    plan_.duration = DurationField{want(choice.index), *unit,
                                   fmt::format("{}:{}", choice.shown, unit_suffix(*unit))};
  }

  /// How the time is written, in which zone, and what is taken off it.
  [[nodiscard]] std::string time_style() const {
    const TimeFormat& format = plan_.time_format;
    std::string style = format.name();
    if (format.zoned()) style += ", " + format.zone.name();
    if (plan_.duration) style += ", less " + plan_.duration->shown;
    return style;
  }

  void say() {
    const bool time_pinned = flags_.time_field.has_value() && flags_.time_format.has_value();
    if (!plan_.format_detected && time_pinned && !flags_.keys.empty()) return;
    std::string keys;
    for (const KeyPart& part : plan_.key) {
      keys += fmt::format("{}{}", keys.empty() ? "key " : " | ", part.shown);
    }
    if (keys.empty()) {
      keys = flags_.keys.empty() ? "no key found, so one for all" : "one key for all";
    }
    Diagnostic note{fmt::format("{} is read as {}: time {} ({}), {}, cost {}", file_,
                                plan_.format->name(), plan_.time_field, time_style(), keys,
                                plan_.cost.empty() ? "1" : plan_.cost_field),
                    std::nullopt,
                    {fmt::format("pin this with {}", pin_flags(plan_))}};
    if (!runner_up_.empty()) {
      note.advice.push_back(fmt::format("nearly as likely: -F {}", runner_up_));
    }
    for (const std::string& name : other_times_) {
      note.advice.push_back(fmt::format("also holds times: --time-field {}", shell_word(name)));
    }
    for (const std::string& name : other_keys_) {
      note.advice.push_back(fmt::format("could be the key as well: -k {}", shell_word(name)));
    }
    plan_.notes.push_back(std::move(note));
  }

  std::string file_;
  const ReadFlags& flags_;
  TimeDefaults defaults_;
  ReadPlan plan_;
  SampleTable table_;
  std::vector<FieldChoice> chosen_keys_;
  std::string runner_up_;
  std::vector<std::string> other_times_;
  std::vector<std::string> other_keys_;
};

}  // namespace

ReadPlan make_plan(const Sample& sample, std::string_view file, const ReadFlags& flags) {
  return Planner(sample, file, flags).make();
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kSafe) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_path(std::string_view path) {
  const bool dashed = path.size() > 1 && path.front() == '-';
  return shell_word(dashed ? fmt::format("./{}", path) : std::string(path));
}

std::string pin_flags(const ReadPlan& plan, const SharedPins& shared) {
  std::string flags;
  if (shared.format) flags += fmt::format(" -F {}", shell_word(plan.format->flag()));
  if (shared.time_field) flags += fmt::format(" --time-field {}", shell_word(plan.time_field));
  if (shared.time_format) {
    flags += fmt::format(" --time-format {}", shell_word(plan.time_format.name()));
  }
  for (const KeyPart& part : plan.key) flags += fmt::format(" -k {}", shell_word(part.shown));
  if (plan.key.empty()) flags += " -k none";
  if (!plan.cost_field.empty())
    flags += fmt::format(" --cost-field {}", shell_word(plan.cost_field));
  if (plan.time_format.zoned()) flags += fmt::format(" --tz {}", plan.time_format.zone.name());
  if (plan.year) flags += fmt::format(" --year {}", *plan.year);
  if (plan.duration) {
    flags += fmt::format(" --time-is end --duration-field {}", shell_word(plan.duration->shown));
  }
  flags.erase(0, 1);
  return flags;
}

}  // namespace ratereplay
