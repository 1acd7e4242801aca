// The ladder that the element-wise labs of stage 1 share: five rungs of kernels/elementwise.cu with two inputs.
#pragma once

#include <functional>
#include <string>

#include "engine/lab.hpp"

namespace tilescope {

struct ElementwiseOperator {
  std::string name;  // lab name: "vector-add"
  int order = 0;     // position in stage 1
  Text title;
  std::string functor;    // OP in the kernel file: "Add"
  std::string operation;  // the operation asked of the Python child: "add"
  double (*exact)(double x, double y);
};

Lab make_elementwise_lab(const ElementwiseOperator& op);

}  // namespace tilescope
