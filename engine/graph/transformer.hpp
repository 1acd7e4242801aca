// One layer of a Transformer as a graph of operators, from its options.
//
//   post-norm   x → attention → add → norm → MLP → add → norm        BERT
//   pre-norm    x → norm → attention → add → norm → MLP → add        GPT, LLaMA
//
// Attention is Q, K and V projections, QKᵀ, scale and mask, softmax, × V and the output projection; with the two of the
// MLP these are eight matmuls. In decode one new token per sequence attends to `sequence` tokens that are in the KV
// cache; in prefill all tokens of the sequence are new.
#pragma once

#include "engine/graph/graph.hpp"

namespace tilescope {

enum class Phase { prefill, decode };
enum class NormPlace { before, after };
enum class NormKind { layernorm, rmsnorm };
enum class MlpKind { gelu, relu, swiglu, experts };  // experts: each with a SwiGLU MLP of its own

struct TransformerOptions {
  Phase phase = Phase::prefill;
  int64_t batch = 1, sequence = 2048;  // decode: tokens in the cache, the new one included
  int64_t hidden = 4096, heads = 32;
  int64_t kv_heads = 32;                       // divides heads; fewer than heads: grouped-query attention
  int64_t mlp = 16384;                         // width of the MLP
  int64_t experts = 8, experts_per_token = 2;  // MlpKind::experts
  DType type = DType::bf16;
  NormPlace norm_place = NormPlace::before;
  NormKind norm = NormKind::rmsnorm;
  MlpKind mlp_kind = MlpKind::gelu;
  bool biases = false;     // of the projections and the MLP: an add after each matmul
  bool causal = true;      // a mask on the scores
  bool rotary = false;     // rotary embedding of Q and K
  bool fused_qkv = false;  // one matmul for Q, K and V
  bool flash = false;      // one fused operator for QKᵀ … × V: the scores are not stored
  bool operator==(const TransformerOptions&) const = default;
};

/// BERT-base at batch 1, 512 tokens in fp32, and a layer of LLaMA-7B at 2,048 tokens in fp16.
TransformerOptions bert_base();
TransformerOptions llama_7b();

/// Error: options that make no layer, such as heads that do not divide the hidden size.
Result<OperatorGraph> transformer_layer(const TransformerOptions& options);

}  // namespace tilescope
