// The requests of the program to its worker process and the worker's answers, as JSON lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/gpu/context.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// Launches over buffers of the asking process.
struct LaunchRequest {
  enum class Kind { run, time } kind = Kind::run;
  CompiledModule module;         // cubin and PTX only
  std::vector<Launch> launches;  // one to run; all launches of a plan to time
  std::vector<CUipcMemHandle> handles;
  std::vector<size_t> bytes;    // for each buffer
  bool spare_contents = false;  // for time: work on copies
};

nlohmann::json to_json(const LaunchRequest& request);
/// Only for output of to_json: the worker trusts its parent, which is the same build. False if it is anything else.
bool from_json(const nlohmann::json& document, LaunchRequest& request);

/// The result of a launch.
struct LaunchAnswer {
  QuickTiming timing;
  std::string output;  // what the kernel printed
};

/// An answer is {"milliseconds": […], "executions": n, "sets": n, "output": hexadecimal} or an error. "lost" says that
/// the worker is about to exit, "unmapped" that it cannot map the memory of the requesting process.
nlohmann::json answer_of(const LaunchAnswer& answer);
nlohmann::json answer_of(const Error& error);
/// An Error if the answer is one or cannot be parsed.
Result<LaunchAnswer> answer_from_json(const nlohmann::json& document);

}  // namespace tilescope
