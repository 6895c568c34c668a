// SPDX-License-Identifier: Apache-2.0
#include "vectors/generate_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/grid.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

/// Items after a heading, in lines of the table's width.
std::string list(std::string_view heading, const std::vector<std::string>& items) {
  return fmt::format("  {:<11}{}\n", heading, wrapped(items, 13, 13));
}

std::vector<std::string> with_commas(std::vector<std::string> names) {
  for (std::size_t i = 0; i + 1 < names.size(); ++i) names[i] += ',';
  return names;
}

/// The words of a text, to be wrapped.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The cases from `first` on, up to `last`.
std::string cases_text(const VectorFile& file, std::size_t first, std::size_t last,
                       const Coverage* coverage, Paint paint) {
  std::size_t steps = 0;
  for (std::size_t i = first; i < last; ++i) steps += file.cases[i].steps.size();
  std::string out = fmt::format("{}{}{}: {} cases, {} steps, unit {}\n", paint.head(),
                                file.cases[first].policy.canonical, paint.off(), last - first,
                                steps, file.unit.name);
  for (std::size_t i = first; i < last; ++i) {
    const VectorCase& one = file.cases[i];
    out += fmt::format("\n{}: {} step{}\n", visible(one.name), one.steps.size(),
                       one.steps.size() == 1 ? "" : "s");
    out += list("pins", words_of(visible(one.note)));
    if (coverage != nullptr && !coverage->ruled_out[i - first].empty()) {
      out += list("rules out", with_commas(coverage->ruled_out[i - first]));
    }
  }
  return out;
}

}  // namespace

std::string generated_table(const GeneratedVectors& made, bool color) {
  const Paint paint{color};
  const auto& cases = made.file.cases;
  std::string out;
  for (std::size_t first = 0, policy = 0; first < cases.size(); ++policy) {
    const auto other = std::find_if(
        cases.begin() + static_cast<std::ptrdiff_t>(first), cases.end(),
        [&](const auto& one) { return one.policy.canonical != cases[first].policy.canonical; });
    const auto last = static_cast<std::size_t>(other - cases.begin());
    const Coverage* coverage = made.coverage.empty() ? nullptr : &made.coverage[policy];
    if (!out.empty()) out += '\n';
    out += cases_text(made.file, first, last, coverage, paint);
    if (coverage != nullptr && !coverage->by_numbers.empty()) {
      out += '\n' + list("by numbers", with_commas(coverage->by_numbers));
    }
    if (coverage != nullptr && !coverage->alike.empty()) {
      out += '\n' + list("alike", with_commas(coverage->alike));
    }
    first = last;
  }
  return out;
}

}  // namespace ratereplay
