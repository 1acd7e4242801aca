// What PyTorch computes for a lab, and its gradients, as Python: the exported operator's CPU implementation, backward
// pass and tests.
#pragma once

#include <string>
#include <vector>

namespace tilescope {

struct TorchReference {
  std::string lab = {};
  std::string name = {};                 // the operator's; empty: the lab's
  std::string what = {};                 // one line for a docstring
  std::vector<std::string> inputs = {};  // as OperatorBuffer::name has them, in order
  std::string forward = {};              // the body of a function of the inputs
  std::string backward = {};  // the body of a function of the inputs and a gradient grad_OUTPUT of each output
  bool is_smooth = true;      // gradcheck's differences cross no kink
};

/// Null if the lab cannot be exported: nothing would say whether the operator is right.
const TorchReference* find_torch_reference(const std::string& lab);
const std::vector<TorchReference>& torch_references();

}  // namespace tilescope
