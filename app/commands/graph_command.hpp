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
  bool pairs = false;  // instead of a graph: predicted beside recorded times of the labs that fuse
  std::string loops;   // instead of a graph: a file of two loop nests, and whether they may become one
};

int graph_command(Engine& engine, const GraphOptions& options, std::ostream& out, std::ostream& problems);
/// What graph_command does with `pairs` and with `loops` (fusion_command.cpp).
int pairs_command(Engine& engine, bool as_json, std::ostream& out, std::ostream& problems);
int loops_command(const std::string& file, bool as_json, std::ostream& out, std::ostream& problems);

/// The layer with these options set: batch, sequence, hidden, heads, kv_heads, mlp, experts, experts_per_token,
/// type=bf16, phase=decode, norm=layernorm, norm_place=after, mlp_kind=swiglu, and biases, causal, rotary, fused_qkv,
/// flash as 0 or 1.
Result<TransformerOptions> with_settings(TransformerOptions options, const std::vector<std::string>& settings);

}  // namespace tilescope
