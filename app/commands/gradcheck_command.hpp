// tilescope gradcheck: gradients of kernels beside central differences, and beside PyTorch's.
//
// For the lab "autograd" the differences are those of the program in double precision. For a file of the learner's own
// they come from runs of its forward kernel with one input moved (gradcheck_file.cpp).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"

namespace tilescope {

struct GradcheckOptions {
  std::string program;  // instead of all below: a file with a program of the tape; size, torch and json apply
  RunOptions run{.lab = "autograd"};   // lab or FILE.cu, rung, set, size, broken, seed, device
  std::vector<std::string> forward;    // kernels of the forward pass in a file
  std::vector<std::string> backward;   // and of the backward pass
  std::vector<std::string> arguments;  // NAME=SPEC of each buffer and number, as for exec
  bool torch = false, step_sizes = false, json = false;
};

int gradcheck_command(const std::shared_ptr<Engine>& engine, const GradcheckOptions& options, std::ostream& out,
                      std::ostream& problems);
/// What gradcheck_command does with a file.
int gradcheck_file(const std::shared_ptr<Engine>& engine, const GradcheckOptions& options, std::ostream& out,
                   std::ostream& problems);

/// What it does with a program: both passes in double, the order of the kernels, and what is kept.
int gradcheck_program(Engine& engine, const GradcheckOptions& options, std::ostream& out, std::ostream& problems);

}  // namespace tilescope
