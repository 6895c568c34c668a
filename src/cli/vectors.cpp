// SPDX-License-Identifier: Apache-2.0
#include "cli/vectors.hpp"

#include "cli/command.hpp"
#include "cli/commands.hpp"

namespace ratereplay {

void add_vectors(Command& program, Session& session) {
  Command vectors =
      program.add_command("vectors", "Test vectors for CI: does my limiter decide as it should?");
  add_vectors_generate(vectors, session);
  add_vectors_verify(vectors, session);
  add_vectors_identify(vectors, session);
}

}  // namespace ratereplay
