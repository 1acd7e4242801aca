// Lab "vector-multiply": out = a · b. The same ladder as vector-add with a different functor.
#include "labs/elementwise.hpp"

namespace tilescope {

static const bool registered = register_lab(make_elementwise_lab({.name = "vector-multiply",
                                                                  .order = 2,
                                                                  .title = {"Vector multiply", "向量乘法"},
                                                                  .functor = "Multiply",
                                                                  .operation = "mul",
                                                                  .exact = [](double x, double y) { return x * y; }}));

}  // namespace tilescope
