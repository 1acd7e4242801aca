// The launch of a submission, as a comment that the learner writes in the kernel's file:
//
//     // Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, 8)>>>(in, out, rows, columns)
//     # Launch: add_ten[ceil(n / BLOCK)](a, out, n, BLOCK=1024, num_warps=4)
//
// So one file is a whole submission, in the window and on the command line. Several lines are several launches, which
// run one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel_language.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

struct LaunchLine {
  uint32_t line = 0;                        // 1-based
  std::string kernel = {};                  // with template arguments
  std::string grid = {}, block = {};        // formulas of the axes, separated by commas; block is empty in Triton
  std::string shared = {};                  // bytes of dynamic shared memory; empty: none
  std::vector<std::string> arguments = {};  // names of the exercise's parameters
  std::vector<Define> keywords = {};        // in Triton: constexprs, num_warps, num_stages
  bool operator==(const LaunchLine&) const = default;
};

/// All of them; none is an Error, as is a line that cannot be read (bad_launch_line).
Result<std::vector<LaunchLine>> read_launch_lines(std::string_view text, KernelLanguage language);

/// "// Launch: …"
std::string launch_text(const LaunchLine& launch, KernelLanguage language);

/// The text with the line of `launch` rewritten.
std::string with_launch(std::string_view text, const LaunchLine& launch, KernelLanguage language);

}  // namespace tilescope
