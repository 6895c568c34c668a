// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/session.hpp"
#include "report/result.hpp"
#include "trace/plan.hpp"

namespace ratereplay {

class Command;

/// Adds the flags that say what the key and the cost of a row are.
void add_key_and_cost(Command& command, ReadFlags& flags);

/// Adds the flags that leave rows out.
void add_filters(Command& command, ReadFlags& flags);

/// Says how many keys were missing, and what a sample of the keys stands for.
void note_selection(const TraceFacts& facts, const ReadFlags& flags, const Session& session);

}  // namespace ratereplay
