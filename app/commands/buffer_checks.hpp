// The --dump, --expect and --print options of `exec`, which use its buffers after the run. They are validated before
// anything runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/sandbox/reading/expression.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// NAME=FILE[:ATOL[:RTOL]]
struct Expectation {
  size_t buffer = 0;  // index into Plan::buffers
  Tolerance tolerance;
  HostBuffer expected;
};
Result<std::vector<Expectation>> read_expectations(const std::vector<std::string>& specs, const Plan& plan);
/// Replaces the buffer's statistics by a Correctness, which determines the exit status.
void compare_expectations(const std::vector<Expectation>& expectations, RunResult& result);

/// NAME, NAME[a:b], NAME[a:b,c:d]: elements of a buffer.
struct PrintedSlice {
  size_t buffer = 0;
  std::string text;                         // as given on the command line
  std::vector<int64_t> first, last, shape;  // per dimension: [first, last)
  int64_t count() const;
};
Result<std::vector<PrintedSlice>> read_slices(const std::vector<std::string>& specs, const Plan& plan,
                                              const NameLookup& names);
std::string slice_text(const PrintedSlice& slice, const RunResult& result);
nlohmann::json slice_json(const PrintedSlice& slice, const RunResult& result);

Result<void> check_dumps(const std::vector<std::string>& specs, const Plan& plan);
Result<void> write_dump(const std::string& spec, const RunResult& result);

}  // namespace tilescope
