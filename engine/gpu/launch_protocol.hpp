// What the program asks of its worker process and what the worker answers, as JSON lines.
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
  std::vector<Launch> launches;  // one to run; all of a plan to time
  std::vector<CUipcMemHandle> handles;
  std::vector<size_t> bytes;    // of each buffer
  bool spare_contents = false;  // time: work on copies
};

nlohmann::json to_json(const LaunchRequest& request);
/// Only for what to_json made: the worker trusts its parent, which is the same build. False where it is not that.
bool from_json(const nlohmann::json& document, LaunchRequest& request);

/// What a launch gives back.
struct LaunchAnswer {
  QuickTiming timing;
  std::string output;  // what the kernel printed
};

/// An answer is {"milliseconds": […], "executions": n, "sets": n, "output": hexadecimal} or an error. "lost" says that
/// the worker ends, "unmapped" that it cannot reach the memory of the asking process.
nlohmann::json answer_of(const LaunchAnswer& answer);
nlohmann::json answer_of(const Error& error);
/// The Error of an answer that is one, or of one that cannot be read.
Result<LaunchAnswer> answer_from_json(const nlohmann::json& document);

}  // namespace tilescope
