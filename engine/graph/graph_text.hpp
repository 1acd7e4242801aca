// A graph as a text that a person writes and edits, one tensor or operator in a line:
//
//     # A matrix product with its epilogue.
//     x: f16[2048, 4096]
//     w: f16[4096, 4096] weight
//     bias: f16[4096] weight
//     h = matmul(x, w)
//     r = gelu(add(h, bias))
//     s = sum(r, keep=1)
//     v = reshape(s) : [2048]
//
//   NAME: TYPE[EXTENTS] ROLE     a tensor that is given; the role is input (if left out), weight or constant
//   NAME = OPERATOR(…)           a node and the tensor that it writes; its type is that of the first input
//   : TYPE[EXTENTS]              after an operator: its shape, which a view needs, or its type, as in `: f32`
//   @ MODULE                     after that: the part of the model that it belongs to
//   # …                          a comment
//
// A call within a call is a node of its own, named after the line: "r.1". Lines may stand in any order.
#pragma once

#include <string>
#include <string_view>

#include "engine/graph/graph.hpp"

namespace tilescope {

/// Sorted and checked. The error names the line, and where it is about one node, the node.
Result<OperatorGraph> graph_from_text(std::string_view text);
/// A text that gives this graph again, with each node named after the tensor that it writes.
std::string text_of(const OperatorGraph& graph);

}  // namespace tilescope
