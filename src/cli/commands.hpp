// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace ratereplay {

struct Session;

/// Adds one command with its flags to the program, and makes its callback set Session::action.
/// What it refers to lives as long as the program's CLI::App. A new command is declared here and
/// listed in app.cpp.
using AddCommand = CLI::App* (*)(CLI::App& program, Session& session);

CLI::App* add_generate(CLI::App& program, Session& session);
CLI::App* add_inspect(CLI::App& program, Session& session);
CLI::App* add_policy(CLI::App& program, Session& session);
CLI::App* add_report(CLI::App& program, Session& session);
CLI::App* add_run(CLI::App& program, Session& session);

}  // namespace ratereplay
