// A finished run's kernel once more, to go through one of its blocks step by step (engine/step_record.hpp).
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/executor.hpp"
#include "engine/run_result.hpp"
#include "engine/step_record.hpp"

namespace tilescope {

/// Runs the launches of `result` on a simulator of the caller's, up to `launch`, and of that one the block of the
/// window (and those that it may wait for). The inputs are made again from the run's seed. Where the launches are too
/// large to be executed in full, those before `launch` are left out.
Result<std::shared_ptr<const StepRecord>> record_steps(const RunResult& result, size_t launch, const StepWindow& window,
                                                       Executor& simulator, std::stop_token stop);

/// Buffers of the launch (indices into Plan::buffers) that hold zeros in such a record instead of what the launches
/// before it would have written: these were left out. Empty where they were run.
std::vector<size_t> buffers_not_computed(const RunResult& result, size_t launch);

}  // namespace tilescope
