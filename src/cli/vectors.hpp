// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ratereplay {

class Command;
struct Session;

/// The commands under `vectors`, each in its own file.
void add_vectors_generate(Command& vectors, Session& session);
void add_vectors_identify(Command& vectors, Session& session);
void add_vectors_verify(Command& vectors, Session& session);

}  // namespace ratereplay
