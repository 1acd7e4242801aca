// How the graph view calls operators and writes numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "app/views/graph/graph_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 28> kLayerNodes{
    "norm_1", "norm_2",  "q_proj", "k_proj",    "v_proj", "qkv_proj", "q_rotary",       "k_rotary",    "qk", "scale",
    "mask",   "softmax", "pv",     "attention", "o_proj", "add_1",    "add_2",          "gate",        "up", "silu",
    "gated",  "gelu",    "relu",   "down",      "router", "combine",  "router_softmax", "router_top_k"};

struct KnownModule {
  std::string_view name, key;
};
constexpr std::array<KnownModule, 6> kLayerModules{{{"Norm", "norm"},
                                                    {"QKV projection", "qkv"},
                                                    {"Attention", "attention"},
                                                    {"Output projection", "output"},
                                                    {"Add", "add"},
                                                    {"MLP", "mlp"}}};

}  // namespace

std::string title_of_node(const Strings& strings, const GraphNode& node, bool of_layer) {
  if (!of_layer) return node.name;
  constexpr std::string_view kBias = "_bias";
  std::string_view name = node.name;
  const bool bias = name.ends_with(kBias);
  if (bias) name.remove_suffix(kBias.size());
  if (std::ranges::find(kLayerNodes, name) == kLayerNodes.end()) return node.name;
  const std::string& title = strings("graph_node." + std::string(name));
  return bias ? strings.format("view.graph.bias_of", fmt::arg("name", title)) : title;
}

std::string title_of_module(const Strings& strings, const std::string& module, bool of_layer) {
  const auto* known = std::ranges::find(kLayerModules, module, &KnownModule::name);
  if (!of_layer || known == kLayerModules.end()) return module;
  return strings("graph_module." + std::string(known->key));
}

std::string graph_number(double value) {
  if (value == 0) return "–";
  if (value >= 999.5) return with_separators(std::llround(value));
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  if (value >= 0.9995) return fmt::format("{:.2f}", value);
  if (value >= 0.00095) return fmt::format("{:.3f}", value);
  return "<0.001";
}

}  // namespace tilescope
