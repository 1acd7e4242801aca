// Lab "vector-add": out = a + b, the first kernel. kernels/elementwise.cu holds the rungs.
#include "labs/elementwise.hpp"

namespace tilescope {

static const bool registered = register_lab(make_elementwise_lab({.name = "vector-add",
                                                                  .order = 1,
                                                                  .title = {"Vector add", "向量加法"},
                                                                  .functor = "Add",
                                                                  .operation = "add",
                                                                  .exact = [](double x, double y) { return x + y; }}));

}  // namespace tilescope
