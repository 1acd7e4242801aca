// The launches of a rung as an operator needs them: over tensors whose sizes are known only when it is called.
//
// operator_launches observes the rung's buffers and launches at many sizes and describes them by formulas
// (size_rule.hpp). A size stays free if formulas describe everything at every probe of its domain; otherwise the
// operator takes only the size that it was exported with. Kernels and constants are those of the configuration.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "engine/lab.hpp"
#include "engine/torch_operator/size_rule.hpp"

namespace tilescope {

struct OperatorBuffer {
  std::string name = {};  // a name in Python
  BufferSpec spec = {};   // at the configuration's sizes
  std::vector<SizeRule> shape = {};
  bool is_used = false;  // by a launch
};

struct OperatorArgument {
  enum class Kind { buffer, number, constant } kind = Kind::constant;
  size_t buffer = 0;         // index into OperatorLaunches::buffers
  int64_t offset_bytes = 0;  // into it
  SizeRule number = {};      // a whole number of `constant.bytes.size()` bytes
  ScalarArgument constant = {};
};

struct OperatorConstexpr {
  std::string name = {};
  std::variant<std::string, SizeRule> value = {};
};

struct OperatorLaunch {
  std::string kernel = {};
  std::array<SizeRule, 3> grid = {};
  Dim3 block = {};
  SizeRule shared_bytes = {};
  std::vector<OperatorArgument> arguments = {};
  std::vector<OperatorConstexpr> constexprs = {};  // for a Triton kernel
  int num_warps = 0, num_stages = 0;
};

struct OperatorLaunches {
  std::vector<SizeDomain> sizes = {};
  std::vector<OperatorBuffer> buffers = {};
  std::vector<OperatorLaunch> launches = {};
  size_t probes = 0;  // sizes at which the formulas were compared with the lab's launches
  const SizeDomain& size(const std::string& name) const;
};

/// Why there are none, as one sentence.
using OperatorLaunchesResult = tl::expected<OperatorLaunches, Phrase>;
OperatorLaunchesResult operator_launches(const Lab& lab, const Rung& rung, const Config& config);

/// "in_" for "in": letters, digits and underscores, and no word of Python.
std::string python_name(const std::string& name);

}  // namespace tilescope
