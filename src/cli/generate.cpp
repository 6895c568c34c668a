// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "error.hpp"
#include "generate/csv.hpp"
#include "generate/generator.hpp"
#include "report/output_file.hpp"
#include "spec/count_text.hpp"
#include "spec/duration_text.hpp"
#include "text/nearest.hpp"
#include "text/utf8.hpp"

namespace ratereplay {
namespace {

using std::string_view;

struct Flags {
  std::optional<std::string> model, seed, rate, keys, length, rows, step, cost, prefix;
  std::optional<std::string> on, off, window, spread, output;
};

[[noreturn]] void refuse(string_view flag, string_view value, string_view wanted,
                         string_view advice) {
  throw Error(ErrorKind::kUsage, fmt::format("{} '{}' is not {}", flag, value, wanted),
              {std::string(advice)});
}

std::uint64_t read_number(string_view flag, string_view text, std::uint64_t least,
                          std::uint64_t greatest) {
  const auto result = read_count(text);
  if (const auto* fault = std::get_if<CountFault>(&result);
      fault != nullptr && *fault == CountFault::kSyntax) {
    refuse(flag, text, "a number", kCountAdvice);
  }
  const auto* value = std::get_if<std::int64_t>(&result);
  if (value != nullptr && static_cast<std::uint64_t>(*value) >= least &&
      static_cast<std::uint64_t>(*value) <= greatest) {
    return static_cast<std::uint64_t>(*value);
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} {} is out of range", flag, text),
              {fmt::format("it is from {} to {}", least, greatest)});
}

Duration read_length(string_view flag, string_view text) {
  const auto length = parse_duration(text);
  if (length && *length > Duration{0}) return *length;
  refuse(flag, text, "a duration of 1 ns or more",
         fmt::format("write a number and a unit: 1s, 1.5h, 250ms; units: {}", kDurationUnits));
}

/// COUNT, of a second, or COUNT/WINDOW.
Limit read_rate(string_view text) {
  const auto slash = text.find('/');
  const auto count = read_number("--rate", text.substr(0, slash), 1, 1'000'000'000);
  const Duration window =
      slash == text.npos ? std::chrono::seconds{1} : read_length("--rate", text.substr(slash + 1));
  return {static_cast<std::int64_t>(count), window};
}

/// N or LEAST..GREATEST.
void read_cost(string_view text, Recipe& recipe) {
  constexpr std::uint64_t kGreatest = std::numeric_limits<Cost>::max();
  const auto dots = text.find("..");
  const auto least = read_number("--cost", text.substr(0, dots), 0, kGreatest);
  const auto greatest =
      dots == text.npos ? least : read_number("--cost", text.substr(dots + 2), 0, kGreatest);
  recipe.least_cost = static_cast<Cost>(least);
  recipe.greatest_cost = static_cast<Cost>(greatest);
}

/// The prefix stands unquoted in a CSV field.
const std::string& checked_prefix(const std::string& prefix) {
  bool plain = is_utf8(prefix) && prefix.find_first_of(",\"#") == prefix.npos;
  for (const char c : prefix) plain = plain && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  if (!plain) refuse("--key-prefix", prefix, "plain text", "leave out , \" # and controls");
  return prefix;
}

const Model& chosen_model(const std::optional<std::string>& name) {
  std::vector<string_view> names;
  for (const Model& model : models()) names.push_back(model.name);
  std::vector<std::string> advice;
  if (name) {
    if (const Model* model = find_model(*name)) return *model;
    if (auto meant = suggestion(*name, names)) advice.push_back(*std::move(meant));
  }
  advice.push_back(fmt::format("models: {}", fmt::join(names, ", ")));
  throw Error(ErrorKind::kUsage,
              name ? fmt::format("unknown model '{}'", *name) : "'generate' needs a model",
              std::move(advice));
}

/// Sets a duration that only some models use.
void set_field(const Model& model, RecipeField field, string_view flag,
               const std::optional<std::string>& text, Duration& value) {
  if (!text) return;
  if (std::ranges::count(model.fields, field) == 0) {
    throw Error(ErrorKind::kUsage, fmt::format("the model {} does not use {}", model.name, flag));
  }
  value = read_length(flag, *text);
}

Recipe read_recipe(const Model& model, const Flags& flags) {
  Recipe recipe = model.defaults;
  const auto narrow = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  if (flags.seed) recipe.seed = narrow(read_number("--seed", *flags.seed, 0, UINT32_MAX));
  if (flags.rate) recipe.rate = read_rate(*flags.rate);
  if (flags.keys) recipe.keys = narrow(read_number("--keys", *flags.keys, 1, UINT32_MAX));
  if (flags.rows) {
    recipe.rows = read_number("--rows", *flags.rows, 1, INT64_MAX);
    recipe.length.reset();
  }
  if (flags.length) recipe.length = read_length("--length", *flags.length);
  if (flags.step) recipe.step = read_length("--step", *flags.step);
  if (flags.cost) read_cost(*flags.cost, recipe);
  if (flags.prefix) recipe.key_prefix = checked_prefix(*flags.prefix);
  set_field(model, RecipeField::kOn, "--on", flags.on, recipe.on);
  set_field(model, RecipeField::kOff, "--off", flags.off, recipe.off);
  set_field(model, RecipeField::kWindow, "--window", flags.window, recipe.window);
  set_field(model, RecipeField::kSpread, "--spread", flags.spread, recipe.spread);
  return recipe;
}

ExitCode generate(const Flags& flags) {
  const Model& model = chosen_model(flags.model);
  const Recipe recipe = read_recipe(model, flags);
  const auto generator = model.make(recipe);
  OutputFile out(flags.output.value_or(""));
  write_csv(*generator, recipe.key_prefix, out);
  out.finish();
  return ExitCode::kOk;
}

std::string footer() {
  std::string text = "Models:\n";
  for (const Model& model : models()) {
    text += fmt::format("  {:<12}{}\n", model.name, model.description);
  }
  text +=
      "\nThe same model and flags give the same bytes on every platform.\n"
      "\nExamples:\n"
      "  ratereplay generate steady -o steady.csv\n"
      "  ratereplay generate boundary --rate 100 --window 1s\n"
      "  ratereplay generate poisson --rate 5k --keys 1M --rows 20M -o large.csv";
  return text;
}

}  // namespace

void add_generate(Command& program, Session& session) {
  Command command = program.add_command("generate", "Make a synthetic trace, seeded");
  const auto flags = std::make_shared<Flags>();
  command.add_argument("MODEL", flags->model, "", "What the traffic is like; see below");
  command.add_option("--seed", flags->seed, "N", "Another seed gives another trace of the kind");
  command.add_option("--rate", flags->rate, "N[/TIME]",
                     "Mean requests a second, or in a time: 500, 30/1m");
  command.add_option("--keys", flags->keys, "N",
                     "Number of keys; several are drawn by Zipf, alpha 1");
  command.add_option("--length", flags->length, "TIME", "How long it lasts");
  command.add_option("--rows", flags->rows, "N",
                     "Stop after so many; without --length however long it takes");
  command.add_option("--step", flags->step, "TIME", "Resolution of the times (1ms)");
  command.add_option("--cost", flags->cost, "N|A..B",
                     "Cost of a request, or costs drawn from a range (1)");
  command.add_option("--key-prefix", flags->prefix, "TEXT", "What stands before the key's number");
  command.add_option("--on", flags->on, "TIME", "bursty, onoff: how long requests come");
  command.add_option("--off", flags->off, "TIME", "bursty, onoff: how long none comes");
  command.add_option("--window", flags->window, "TIME", "boundary: distance of the edges");
  command.add_option("--spread", flags->spread, "TIME",
                     "boundary: how far from an edge requests lie");
  command.add_option("-o,--output", flags->output, "FILE", "Where to write (standard output)");
  command.set_footer(footer());
  command.set_action(session, [flags] { return generate(*flags); });
}

}  // namespace ratereplay
