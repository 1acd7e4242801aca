// A RunResult as JSON (docs: architecture, command line) and as text for a terminal.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/run_result.hpp"

namespace tilescope {

/// Exit status of the program.
enum ExitStatus : int { kClean = 0, kMisbehaved = 1, kBadInput = 2, kUnavailable = 3 };

/// The verdict on a finished run: clean, or misbehaved (findings, or an output that does not match its reference).
ExitStatus exit_status(const RunResult& result);
ExitStatus exit_status(const Error& error);

/// One object with at least the fields of the documented schema.
nlohmann::json to_json(const RunResult& result);
nlohmann::json to_json(const Error& error);
nlohmann::json to_json(const Finding& finding);

/// Several lines for a terminal. with_ledger adds the table per source line.
std::string to_text(const RunResult& result, bool with_ledger);
/// The message, then the hint on its own line.
std::string to_text(const Error& error);

/// The command line that repeats this run.
std::string reproducing_command(const Request& request);

}  // namespace tilescope
