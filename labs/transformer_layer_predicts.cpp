// The questions of lab "transformer-graph".
#include "engine/numbers.hpp"
#include "labs/predict.hpp"
#include "labs/transformer_layer.hpp"

namespace tilescope {
namespace {

constexpr const char* kUnfusedRung = "kernel-per-operator";
constexpr int64_t kFloat = 4;

Predict predict_launches() {
  return {.question = {"One kernel for each operator: how many kernels does the layer launch?",
                       "每个算子一个内核：这一层要启动多少个内核？"},
          .choices =
              [](const Config&) {
                return std::vector<int64_t>{6, 8, 16};
              },
          .answer = [](const Config&) { return int64_t{16}; },
          .why =
              [](const Config&) {
                return Text{
                    "Eight matmuls, and eight operators between them: two norms, scale, mask, softmax, GELU and two "
                    "adds.",
                    "八个矩阵乘，加上它们之间的八个算子：两次归一化、缩放、掩码、softmax、GELU 和两次加法。"};
              },
          .rungs = {kUnfusedRung},
          .veils = ShownNumber::launches};
}

Predict predict_matmuls() {
  return {.question = {"How many of the layer's operators are matrix products?", "这一层的算子里有几个是矩阵乘？"},
          .choices =
              [](const Config&) {
                return std::vector<int64_t>{4, 6, 8};
              },
          .answer = [](const Config&) { return int64_t{8}; },
          .why =
              [](const Config&) {
                return Text{
                    "Q, K and V projection, Q · Kᵗ, weights × V, the output projection, and the two of the MLP. Q · Kᵗ "
                    "and × "
                    "V multiply activations with each other; the other six multiply by weights.",
                    "Q、K、V 投影、Q · Kᵗ、权重 × V、输出投影，以及 MLP 的两个。Q · Kᵗ 和 × V "
                    "是激活值相乘；其余六个乘的是权重。"};
              }};
}

int64_t bytes_of_scores(const Config& config) { return kFloat * LayerShape(config).scores(); }

Predict predict_layer_scores() {
  return ask({.question = {"How many bytes does the matrix of attention scores of all heads take?",
                           "所有头的注意力得分矩阵共占多少字节？"},
              .answer = bytes_of_scores,
              .others =
                  [](const Config& config) {
                    const LayerShape layer(config);
                    return std::vector<int64_t>{kFloat * layer.tokens() * layer.hidden,
                                                kFloat * layer.batch * layer.sequence * layer.sequence,
                                                2 * bytes_of_scores(config)};
                  },
              .why =
                  [](const Config& config) {
                    const LayerShape layer(config);
                    const std::string sum = fmt::format("{} × {} × {}² × 4 = {}", layer.batch, layer.heads,
                                                        layer.sequence, with_separators(bytes_of_scores(config)));
                    return Text{"batch × heads × sequence² floats: " + sum +
                                    ". It grows with the square of the sequence, and scale, mask and softmax each read "
                                    "and write all of it.",
                                "批量 × 头数 × 序列长度² 个浮点数：" + sum +
                                    "。它随序列长度的平方增长，而缩放、掩码、softmax 各把它整个读写一遍。"};
                  },
              .rungs = {kUnfusedRung, "fused-epilogues"}});
}

int64_t floats_in_cache(const Config& config) { return 2 * LayerShape(config).kv_width(); }

Predict predict_kv_cache() {
  return ask({.question = {"In decode, K and V of earlier tokens are kept in a cache. How many floats does one token "
                           "take there, in this layer?",
                           "解码时，先前 token 的 K 和 V 存在 KV 缓存里。这一层里一个 token 占多少个浮点数？"},
              .answer = floats_in_cache,
              .others =
                  [](const Config& config) {
                    const LayerShape layer(config);
                    return std::vector<int64_t>{2 * layer.hidden, layer.hidden, layer.kv_width()};
                  },
              .why =
                  [](const Config& config) {
                    const LayerShape layer(config);
                    const std::string sum =
                        fmt::format("2 × {} × {} = {}", layer.kv_heads, layer.head_dim(), floats_in_cache(config));
                    return Text{"A row of K and one of V for each KV head: " + sum +
                                    ". With fewer KV heads than heads (GQA) the cache shrinks by the same factor.",
                                "每个 KV 头一行 K、一行 V：" + sum + "。KV 头比头少时（GQA），缓存按同样的倍数缩小。"};
                  }});
}

int64_t flops_of_qk(const Config& config) {
  const LayerShape layer(config);
  return 2 * layer.scores() * layer.head_dim();
}

Predict predict_qk_flops() {
  return ask(
      {.question = {"How many FLOPs does Q · Kᵗ take for all heads, if every score is computed?",
                    "如果每个得分都算，所有头的 Q · Kᵗ 共需多少 FLOP？"},
       .answer = flops_of_qk,
       .others =
           [](const Config& config) {
             const LayerShape layer(config);
             return std::vector<int64_t>{flops_of_qk(config) / 2, layer.heads * flops_of_qk(config),
                                         2 * layer.tokens() * layer.hidden * layer.hidden};
           },
       .why =
           [](const Config& config) {
             const LayerShape layer(config);
             const std::string sum =
                 fmt::format("2 × {} × {} × {}² × {} = {}", layer.batch, layer.heads, layer.sequence, layer.head_dim(),
                             with_separators(flops_of_qk(config)));
             return Text{
                 "A multiplication and an addition for each element of the head dimension, query, key and head: " +
                     sum + ". Twice the sequence takes four times as many.",
                 "头维度的每个元素、每个查询、每个键、每个头都是一次乘和一次加：" + sum +
                     "。序列长度加倍，FLOP 变为四倍。"};
           },
       .rungs = {kUnfusedRung}});
}

}  // namespace

std::vector<Predict> make_layer_predicts() {
  return {predict_launches(), predict_matmuls(), predict_layer_scores(), predict_kv_cache(), predict_qk_flops()};
}

}  // namespace tilescope
