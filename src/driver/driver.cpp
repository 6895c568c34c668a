// SPDX-License-Identifier: Apache-2.0
#include "driver/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "driver/protocol.hpp"
#include "error.hpp"
#include "spec/duration_text.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

constexpr const char* kProtocolAdvice = "docs/drivers says what a driver reads and writes";

std::chrono::milliseconds whole_milliseconds(Duration timeout) {
  constexpr std::chrono::milliseconds kLongest{std::numeric_limits<int>::max()};
  return std::min(kLongest, std::chrono::ceil<std::chrono::milliseconds>(timeout));
}

}  // namespace

Driver::Driver(std::string command, Duration timeout)
    : command_(std::move(command)), timeout_(whole_milliseconds(timeout)), child_(command_) {}

void Driver::open(const PolicySpec& spec, Unit unit) { open(opening_line(spec, unit)); }
void Driver::open(const Limit& limit, std::optional<std::int64_t> capacity, Unit unit) {
  open(opening_line(limit, capacity, unit));
}

void Driver::open(const std::string& line) {
  open_ = false;
  answered_ = 0;
  require_silence();
  child_.send(line);
  asked_.push_back(line);
  try {
    read_ready(receive_line());
  } catch (const DriverRefusal& fault) {
    fail(fault.what(), {});
  } catch (const NoAnswer& fault) {
    fail(fault.what(), {R"(every opening line is answered by {"ready":true}, and forgets all keys)",
                        kProtocolAdvice});
  }
  asked_.pop_front();
  open_ = true;
}

Answer Driver::decide(const Request& request) {
  send(request);
  return receive();
}

void Driver::send(const Request& request) {
  if (asked_.empty()) require_silence();
  asked_.push_back(request_line(request));
  child_.send(asked_.back());
}

Answer Driver::receive() {
  try {
    Answer answer = read_answer(receive_line());
    asked_.pop_front();
    ++answered_;
    return answer;
  } catch (const DriverRefusal& fault) {
    fail(fault.what(), {});
  } catch (const NoAnswer& fault) {
    fail(fault.what(),
         {R"(an answer is {"admitted":true} with remaining, retryAfter, resetAt, fullAt, delay)"
          " as it likes",
          kProtocolAdvice});
  }
}

void Driver::require_silence() {
  if (child_.has_more() && child_.receive({}) == Child::Event::kLine) refuse_line();
}

void Driver::finish() {
  const Child::Event event = child_.finish();
  if (event == Child::Event::kLine || !child_.line().empty()) refuse_line();
}

void Driver::refuse_line() {
  fail(fmt::format("wrote a line that nobody asked for: '{}'", visible(child_.line())),
       {"it answers one line with one line; whatever else it says goes to standard error"});
}

std::string_view Driver::receive_line() {
  switch (child_.receive(timeout_)) {
    case Child::Event::kLine:
      break;
    case Child::Event::kLate:
      fail(fmt::format("did not answer within {}", duration_text(timeout_)),
           {"does it flush its standard output after every line?",
            "--driver-timeout gives it longer"});
    case Child::Event::kTooLong:
      fail("wrote a line without end", {kProtocolAdvice});
    case Child::Event::kEnded: {
      std::string part;
      if (!child_.line().empty()) {
        part = fmt::format(" in the middle of a line: '{}'", visible(child_.line().substr(0, 60)));
      }
      fail(child_.how_it_ended() + part,
           {open_ ? "what it wrote to standard error may say why"
                  : "it is started by the shell: does the command work there by itself?"});
    }
  }
  return child_.line();
}

void Driver::fail(const std::string& what, std::vector<std::string> advice) {
  // It would complain of the answers that nobody reads any more.
  child_.kill();
  std::string name = place_;
  if (!open_) {
    name += name.empty() ? "the opening line" : ", the opening line";
  } else if (name.empty()) {
    name = fmt::format("request {}", answered_ + 1);
  }
  Place place{fmt::format("driver: {}, at {}", command_, name)};
  if (open_ && !asked_.empty()) place.at += "  " + asked_.front();
  throw Error(ErrorKind::kInput,
              Diagnostic{fmt::format("the driver {}", what), std::move(place), std::move(advice)});
}

}  // namespace ratereplay
