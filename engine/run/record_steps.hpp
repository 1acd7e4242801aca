// Runs a finished run's kernel again to record one of its blocks step by step (engine/step_record.hpp).
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/executor.hpp"
#include "engine/run_result.hpp"
#include "engine/step_record.hpp"

namespace tilescope {

/// Runs the launches of `result` up to `launch` on the caller's simulator, and of that launch only the window's block
/// (and those that it may wait for). The inputs are generated again from the run's seed. If the launches are too large
/// to execute in full, those before `launch` are skipped.
Result<std::shared_ptr<const StepRecord>> record_steps(const RunResult& result, size_t launch, const StepWindow& window,
                                                       Executor& simulator, std::stop_token stop);

/// Buffers of the launch (indices into Plan::buffers) that hold zeros in this record because the launches that would
/// have written them were skipped. Empty if they were run.
std::vector<size_t> buffers_not_computed(const RunResult& result, size_t launch);

}  // namespace tilescope
