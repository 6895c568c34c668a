// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "report/output_file.hpp"
#include "schemas.hpp"

namespace ratereplay {

void add_schema(Command& program, Session& session) {
  Command schema = program.add_command("schema", "The JSON Schema of what is read and written");
  const auto add = [&](const char* name, const char* summary, std::string_view text) {
    Command command = schema.add_command(name, summary);
    command.set_action(session, [text] {
      OutputFile file("");
      file.write(text);
      file.finish();
      return ExitCode::kOk;
    });
  };
  add("result", "What `run -o json` writes and `report` reads", kResultSchema);
  add("vectors", "Test vectors, format ratereplay.vectors/1", kVectorsSchema);
}

}  // namespace ratereplay
