#include "engine/graph/transformer.hpp"

#include <string_view>
#include <utility>

#include "engine/graph/node_error.hpp"

namespace tilescope {
namespace {

Result<void> check_options(const TransformerOptions& options) {
  const auto refuse = [](const Phrase& what) { return fail(ErrorId::bad_graph, phrase("options"), what); };
  for (const auto& [name, value] :
       {std::pair("batch", options.batch), std::pair("sequence", options.sequence), std::pair("hidden", options.hidden),
        std::pair("heads", options.heads), std::pair("kv_heads", options.kv_heads), std::pair("mlp", options.mlp)})
    if (value < 1) return refuse(phrase("{} = {} is below 1", std::string(name), value));
  if (options.hidden % options.heads != 0)
    return refuse(phrase("hidden = {} is not a multiple of heads = {}", options.hidden, options.heads));
  if (options.heads % options.kv_heads != 0)
    return refuse(phrase("heads = {} is not a multiple of kv_heads = {}", options.heads, options.kv_heads));
  const bool experts = options.mlp_kind == MlpKind::experts;
  if (experts && (options.experts_per_token < 1 || options.experts_per_token > options.experts))
    return refuse(phrase("experts_per_token = {} is not in 1 … {}", options.experts_per_token, options.experts));
  return {};
}

/// Adds nodes one after the other. Each call returns the index of the tensor that it adds.
class Builder {
 public:
  explicit Builder(const TransformerOptions& options) : options_(options) {}

  OperatorGraph take() { return std::move(graph_); }
  void module(std::string_view name) { module_ = name; }

  size_t tensor(const std::string& name, Shape shape, TensorRole role) {
    graph_.tensors.push_back({name, std::move(shape), options_.type, role});
    return graph_.tensors.size() - 1;
  }
  size_t node(const std::string& name, const std::string& type, std::vector<size_t> inputs, Shape shape,
              std::map<std::string, int64_t> attributes = {}) {
    const size_t output = tensor(name, std::move(shape), TensorRole::result);
    graph_.nodes.push_back({name, type, std::move(inputs), output, std::move(attributes), module_});
    return output;
  }
  /// x · W, and + b where the model has biases. `rows` is what x holds: [batch, tokens, in].
  size_t linear(const std::string& name, size_t x, int64_t in, int64_t out) {
    const size_t weight = tensor("w_" + name, {in, out}, TensorRole::weight);
    Shape shape = shape_of(x);
    shape.back() = out;
    const size_t product = node(name, "matmul", {x, weight}, shape);
    if (!options_.biases) return product;
    return node(name + "_bias", "add", {product, tensor("b_" + name, {out}, TensorRole::weight)}, shape);
  }
  size_t norm(const std::string& name, size_t x) {
    std::vector<size_t> inputs{x, tensor("gamma_" + name, {options_.hidden}, TensorRole::weight)};
    const bool layernorm = options_.norm == NormKind::layernorm;
    if (layernorm) inputs.push_back(tensor("beta_" + name, {options_.hidden}, TensorRole::weight));
    return node(name, layernorm ? "layernorm" : "rmsnorm", std::move(inputs), shape_of(x));
  }
  /// [batch, tokens, heads · d] → [batch, heads, tokens, d]: views, as kernels read the heads in place.
  size_t split_heads(const std::string& name, size_t x, int64_t heads) {
    const Shape shape = shape_of(x);
    const size_t split = node(name + "_heads", "reshape", {x}, {shape[0], shape[1], heads, shape[2] / heads});
    return node(name + "_split", "transpose", {split}, {shape[0], heads, shape[1], shape[2] / heads});
  }
  size_t rotary(const std::string& name, size_t x) {
    const Shape shape = shape_of(x);
    const size_t angles = tensor("angles_" + name, {shape[2], shape[3]}, TensorRole::constant);
    return node(name + "_rotary", "rotary", {x, angles}, shape);
  }
  const Shape& shape_of(size_t tensor) const { return graph_.tensors[tensor].shape; }

 private:
  OperatorGraph graph_;
  const TransformerOptions& options_;
  std::string module_;
};

struct Heads {
  size_t q = 0, k = 0, v = 0;
};

/// The projections, split into heads; in decode K and V are those of the cache, to which the new token's are added.
Heads project(Builder& build, const TransformerOptions& options, size_t x) {
  const int64_t d = options.hidden / options.heads, kv = options.kv_heads * d;
  build.module("QKV projection");
  size_t q = 0, k = 0, v = 0;
  if (options.fused_qkv) {
    const Shape shape = build.shape_of(x);
    const size_t all = build.linear("qkv_proj", x, options.hidden, options.hidden + 2 * kv);
    q = build.node("q", "slice", {all}, {shape[0], shape[1], options.hidden});
    k = build.node("k", "slice", {all}, {shape[0], shape[1], kv});
    v = build.node("v", "slice", {all}, {shape[0], shape[1], kv});
  } else {
    q = build.linear("q_proj", x, options.hidden, options.hidden);
    k = build.linear("k_proj", x, options.hidden, kv);
    v = build.linear("v_proj", x, options.hidden, kv);
  }
  build.module("Attention");
  Heads heads{build.split_heads("q", q, options.heads), build.split_heads("k", k, options.kv_heads),
              build.split_heads("v", v, options.kv_heads)};
  if (options.rotary) {
    heads.q = build.rotary("q", heads.q);
    heads.k = build.rotary("k", heads.k);
  }
  if (options.phase == Phase::prefill) return heads;
  // The cache already has the new token's row: writing it is a row of d elements for each head.
  const Shape cache{options.batch, options.kv_heads, options.sequence, d};
  heads.k = build.tensor("k_cache", cache, TensorRole::input);
  heads.v = build.tensor("v_cache", cache, TensorRole::input);
  return heads;
}

size_t attend(Builder& build, const TransformerOptions& options, const Heads& heads) {
  const int64_t tokens = build.shape_of(heads.q)[2], d = options.hidden / options.heads;
  const Shape out{options.batch, options.heads, tokens, d};
  size_t result = 0;
  if (options.flash) {
    result = build.node("attention", "attention", {heads.q, heads.k, heads.v}, out);
  } else {
    const Shape scores{options.batch, options.heads, tokens, options.sequence};
    size_t weights = build.node("qk", "matmul", {heads.q, heads.k}, scores, {{"transpose_b", 1}});
    weights = build.node("scale", "scale", {weights}, scores);
    if (options.causal && options.phase == Phase::prefill) weights = build.node("mask", "mask", {weights}, scores);
    weights = build.node("softmax", "softmax", {weights}, scores);
    result = build.node("pv", "matmul", {weights, heads.v}, out);
  }
  const size_t merged = build.node("merge", "transpose", {result}, {options.batch, tokens, options.heads, d});
  return build.node("merged", "reshape", {merged}, {options.batch, tokens, options.hidden});
}

size_t experts(Builder& build, const TransformerOptions& options, size_t x) {
  const Shape shape = build.shape_of(x);
  const int64_t tokens = shape[0] * shape[1], k = options.experts_per_token;
  const auto weights = [&](const std::string& name, int64_t in, int64_t out) {
    return build.tensor(name, {options.experts, in, out}, TensorRole::weight);
  };
  const size_t rows = build.node("tokens", "reshape", {x}, {tokens, options.hidden});
  const size_t router = build.tensor("w_router", {options.hidden, options.experts}, TensorRole::weight);
  const size_t scores = build.node("router", "matmul", {rows, router}, {tokens, options.experts});
  const size_t share = build.node("router_softmax", "softmax", {scores}, {tokens, options.experts});
  const size_t choice = build.node("router_top_k", "top_k", {share}, {tokens, k}, {{"k", k}});
  const Shape wide{tokens, k, options.mlp}, narrow{tokens, k, options.hidden};
  const size_t gate =
      build.node("gate", "expert_matmul", {rows, weights("w_gate", options.hidden, options.mlp), choice}, wide);
  const size_t up =
      build.node("up", "expert_matmul", {rows, weights("w_up", options.hidden, options.mlp), choice}, wide);
  const size_t silu = build.node("silu", "silu", {gate}, wide);
  const size_t product = build.node("gated", "mul", {silu, up}, wide);
  const size_t down =
      build.node("down", "expert_matmul", {product, weights("w_down", options.mlp, options.hidden), choice}, narrow);
  const size_t sum = build.node("combine", "combine", {down, choice}, {tokens, options.hidden});
  return build.node("sequence", "reshape", {sum}, shape);
}

size_t mlp(Builder& build, const TransformerOptions& options, size_t x) {
  build.module("MLP");
  if (options.mlp_kind == MlpKind::experts) return experts(build, options, x);
  if (options.mlp_kind == MlpKind::swiglu) {
    const size_t gate = build.linear("gate", x, options.hidden, options.mlp);
    const size_t up = build.linear("up", x, options.hidden, options.mlp);
    const size_t silu = build.node("silu", "silu", {gate}, build.shape_of(gate));
    const size_t product = build.node("gated", "mul", {silu, up}, build.shape_of(up));
    return build.linear("down", product, options.mlp, options.hidden);
  }
  const size_t up = build.linear("up", x, options.hidden, options.mlp);
  const std::string activation = options.mlp_kind == MlpKind::relu ? "relu" : "gelu";
  const size_t active = build.node(activation, activation, {up}, build.shape_of(up));
  return build.linear("down", active, options.mlp, options.hidden);
}

size_t residual(Builder& build, const std::string& name, size_t x, size_t branch) {
  build.module("Add");
  return build.node(name, "add", {branch, x}, build.shape_of(x));
}

}  // namespace

TransformerOptions bert_base() {
  return {.sequence = 512,
          .hidden = 768,
          .heads = 12,
          .kv_heads = 12,
          .mlp = 3072,
          .type = DType::f32,
          .norm_place = NormPlace::after,
          .norm = NormKind::layernorm,
          .mlp_kind = MlpKind::gelu,
          .biases = true,
          .causal = false};
}

TransformerOptions llama_7b() {
  return {.sequence = 2048,
          .hidden = 4096,
          .heads = 32,
          .kv_heads = 32,
          .mlp = 11008,
          .type = DType::f16,
          .mlp_kind = MlpKind::swiglu,
          .rotary = true};
}

Result<OperatorGraph> transformer_layer(const TransformerOptions& options) {
  if (auto good = check_options(options); !good) return forward(good);
  Builder build(options);
  const int64_t tokens = options.phase == Phase::prefill ? options.sequence : 1;
  const bool before = options.norm_place == NormPlace::before;
  const size_t x = build.tensor("x", {options.batch, tokens, options.hidden}, TensorRole::input);
  const auto norm = [&](const std::string& name, size_t of) {
    build.module("Norm");
    return build.norm(name, of);
  };
  const Heads heads = project(build, options, before ? norm("norm_1", x) : x);
  const size_t attended = attend(build, options, heads);
  build.module("Output projection");
  const size_t out = build.linear("o_proj", attended, options.hidden, options.hidden);
  size_t middle = residual(build, "add_1", x, out);
  if (!before) middle = norm("norm_1", middle);
  const size_t branch = mlp(build, options, before ? norm("norm_2", middle) : middle);
  const size_t last = residual(build, "add_2", middle, branch);
  if (!before) norm("norm_2", last);
  OperatorGraph graph = build.take();
  graph.name = "Transformer layer";
  if (auto good = check(graph); !good) return forward(good);
  return graph;
}

}  // namespace tilescope
