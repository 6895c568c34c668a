// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ratereplay {

class Command;
struct Session;

/// Adds one command with its flags and its action to the program. What it refers to lives as long
/// as the program's parser. A new command is declared here and listed in app.cpp.
using AddCommand = void (*)(Command& program, Session& session);

void add_generate(Command& program, Session& session);
void add_inspect(Command& program, Session& session);
void add_policy(Command& program, Session& session);
void add_report(Command& program, Session& session);
void add_run(Command& program, Session& session);
void add_schema(Command& program, Session& session);
void add_vectors(Command& program, Session& session);

}  // namespace ratereplay
