// The gradients of a program by torch.autograd, in a Python child process (assets/python/autograd_child.py).
//
// Without Python or PyTorch the Error reference_unavailable says so. PyTorch need not have CUDA: it computes on the CPU
// then.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/autograd/tape_values.hpp"
#include "engine/result.hpp"

namespace tilescope {

struct TorchGradients {
  std::string version;  // "2.11.0"
  std::string device;   // "cuda" or "cpu"
  /// In double precision: the gradients of the inputs, and at the place of the result the result itself.
  TapeNumbers values;
  /// Parallel: the largest distance of PyTorch's own floats from that.
  std::vector<double> float_errors;
};

/// `assets` holds python/autograd_child.py; `interpreter` is empty for TILESCOPE_PYTHON, then python3 on PATH.
Result<TorchGradients> torch_gradients(const std::filesystem::path& assets, const TapeProgram& program,
                                       const TapeProblem& problem, const std::stop_token& stop,
                                       const std::string& interpreter = {});

}  // namespace tilescope
