// SPDX-License-Identifier: Apache-2.0
#include "identify/identification_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "keys/shown_key.hpp"
#include "report/grid.hpp"
#include "report/json.hpp"
#include "report/json_writer.hpp"
#include "report/number_text.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

class Outcomes {
 public:
  Outcomes(const Identification& found, const Subject& subject)
      : found_(found),
        subject_(subject),
        consistent_(std::span(found.matches).first(found.consistent())),
        others_(std::span(found.matches).subspan(consistent_.size())) {
    others_ = others_.first(std::min(others_.size(), subject.nearest));
  }

  std::string table(bool color) const {
    const Paint paint{color};
    const std::size_t decisions = found_.evidence.admitted.size();
    std::string out = fmt::format("{}\n{} decisions, {} of them refusals; {} variants compared\n\n",
                                  visible(subject_.name), grouped_text(decisions),
                                  grouped_text(refusals()), found_.variants.size());
    if (refusals() == 0) {
      out += "No request was refused, and refusals are what tells variants apart.\n\n";
    }
    if (consistent_.empty()) {
      out += fmt::format("{}None of the variants decides alike.{}\n", paint.bad(), paint.off());
    } else {
      out += fmt::format("{}The limiter decides as {}{}\n", paint.good(), spec(consistent_.front()),
                         paint.off());
      for (const Match& match : consistent_.subspan(1)) {
        out += fmt::format("  and as {}, which decided the same\n", spec(match));
      }
    }
    if (others_.empty()) return out;
    Grid grid;
    grid.add_column("NEAREST OF THE OTHERS, ruled out by", Grid::Align::kLeft);
    grid.add_column("agree");
    grid.add_column(subject_.rows ? "row" : "probe");
    grid.add_column("at ms");
    grid.add_column("cost");
    grid.add_column("was", Grid::Align::kLeft);
    grid.add_column("key", Grid::Align::kLeft);
    for (const Match& match : others_) {
      const auto& [event, ours] = *match.first;
      const Timeline::Event& request = found_.evidence.events[event];
      grid.add_row({spec(match), percent_text({match.agreed, decisions}) + '%',
                    grouped_text(request.row + 1), ms_text(Duration{request.at}),
                    grouped_text(request.cost), difference(event, ours), visible(key(request))});
    }
    grid.fit_last_column();
    return out + '\n' + grid.text(paint, 0);
  }

  std::string json() const {
    std::string out;
    JsonWriter json(out);
    json.open_object(JsonWriter::kLines);
    json.member("subject").text(subject_.name);
    json.member("decisions").count(found_.evidence.admitted.size());
    json.member("refused").count(refusals());
    json.member("variants").count(found_.variants.size());
    json.member("consistent").open_array(JsonWriter::kLines);
    for (const Match& match : consistent_) json.text(spec(match));
    json.close();
    json.member("nearest").open_array(JsonWriter::kLines);
    for (const Match& match : others_) {
      const auto& [event, ours] = *match.first;
      const Timeline::Event& request = found_.evidence.events[event];
      json.open_object(JsonWriter::kOneLine);
      json.member("policy").text(spec(match)).member("agreed").count(match.agreed);
      json.member("row").count(request.row + 1);
      json.member("atMs").ms(Duration{request.at});
      write_key(json, key(request));
      json.member("cost").count(request.cost);
      json.member("admitted").boolean(found_.evidence.admitted[event]);
      json.member("delayMs");
      const std::optional<Duration> delay = told_delay(event);
      delay ? json.ms(*delay) : json.null();
      json.member("expected").open_object(JsonWriter::kOneLine);
      json.member("admitted").boolean(ours.admitted());
      json.member("delayMs").ms(ours.delay);
      json.close().close();
    }
    json.close().close();
    out += '\n';
    return out;
  }

 private:
  [[nodiscard]] const std::string& spec(const Match& match) const {
    return found_.variants[match.variant].canonical;
  }
  [[nodiscard]] std::string key(const Timeline::Event& request) const {
    const std::string& held = found_.evidence.keys[request.key];
    return subject_.rows ? shown_key(held, subject_.key) : held;
  }
  [[nodiscard]] std::size_t refusals() const {
    const std::vector<bool>& admitted = found_.evidence.admitted;
    return static_cast<std::size_t>(std::count(admitted.begin(), admitted.end(), false));
  }
  [[nodiscard]] std::optional<Duration> told_delay(std::size_t event) const {
    return found_.evidence.delay.empty() ? std::nullopt : found_.evidence.delay[event];
  }

  /// What was decided where the variant decides otherwise.
  [[nodiscard]] std::string difference(std::size_t event, const Decision& ours) const {
    const bool admitted = found_.evidence.admitted[event];
    if (admitted != ours.admitted()) {
      return admitted ? "admitted" : "refused";
    }
    return fmt::format("delayed {} ms, not {}", ms_text(*told_delay(event)), ms_text(ours.delay));
  }

  const Identification& found_;
  const Subject& subject_;
  std::span<const Match> consistent_;
  std::span<const Match> others_;
};

}  // namespace

std::string identification_table(const Identification& found, const Subject& subject, bool color) {
  return Outcomes(found, subject).table(color);
}

std::string identification_json(const Identification& found, const Subject& subject) {
  return Outcomes(found, subject).json();
}

}  // namespace ratereplay
