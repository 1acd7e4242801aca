// tilescope graph: a graph of operators with the FLOPs, bytes and time bounds of its nodes, and what fusing them saves.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "engine/graph/transformer.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {

struct GraphOptions {
  std::string file;              // a graph: .json as exported from PyTorch, or a text; empty: `layer`
  std::string layer = "bert";    // "bert" | "llama": a layer of that model
  std::vector<std::string> set;  // NAME=VALUE: options of the layer; GPU=h200 chooses the GPU
  bool modules = false;          // rows for parts of the model instead of operators
  bool text = false;             // the graph as an editable text
  bool json = false;
};

int graph_command(Engine& engine, const GraphOptions& options, std::ostream& out, std::ostream& problems);

/// The layer with these options set: batch, sequence, hidden, heads, kv_heads, mlp, experts, experts_per_token,
/// type=bf16, phase=decode, norm=layernorm, norm_place=after, mlp_kind=swiglu, and biases, causal, rotary, fused_qkv,
/// flash as 0 or 1.
Result<TransformerOptions> with_settings(TransformerOptions options, const std::vector<std::string>& settings);

}  // namespace tilescope
