// The small languages of the command line: NAME=VALUE, X[,Y,Z], and --arg SPEC.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

struct Assignment {
  std::string name, value;
};
/// "BLOCK=256". A missing '=' is an Error.
Result<Assignment> parse_assignment(const std::string& text);

/// A whole number, in decimal, or a power as "2^20".
Result<int64_t> parse_integer(const std::string& name, const std::string& text);

/// "64", "64,2" or "64,2,1"; each at least 1.
Result<Dim3> parse_extent(const std::string& name, const std::string& text);

/// The --arg specs of `exec`, in kernel order: scalars, and buffers which are added to `buffers`. Unnamed buffers are
/// called arg0, arg1, … by their position.
Result<std::vector<Argument>> parse_arguments(const std::vector<std::string>& specs, std::vector<BufferSpec>& buffers);

}  // namespace tilescope
