// The error of a node or a tensor of a graph, which it names.
#pragma once

#include "engine/graph/graph.hpp"

namespace tilescope {

/// "the graph's node 'q_proj': …"
inline tl::unexpected<Error> node_error(const GraphNode& node, const Phrase& what) {
  return fail(ErrorId::bad_graph, phrase("node '{}'", node.name), what);
}
/// "the graph's tensor 'x': …"
inline tl::unexpected<Error> tensor_error(const GraphTensor& tensor, const Phrase& what) {
  return fail(ErrorId::bad_graph, phrase("tensor '{}'", tensor.name), what);
}

}  // namespace tilescope
