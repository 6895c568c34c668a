// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <csignal>

#include "error.hpp"

namespace ratereplay {
namespace {

volatile std::sig_atomic_t raised = 0;

void raise_flag(int) { raised = 1; }

}  // namespace

void catch_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = raise_flag;
  // Not SA_RESTART: a read that waits for a terminal or a pipe must return. Not SA_RESETHAND
  // either: wrappers such as timeout(1) signal twice, and the second must not keep us from cleaning
  // up.
  action.sa_flags = 0;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigaction(SIGXFSZ, &ignore, nullptr);
}

bool interrupted() noexcept { return raised != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Error(ErrorKind::kInterrupted, "interrupted");
}

}  // namespace ratereplay
