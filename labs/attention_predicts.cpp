// The questions of lab "attention".
#include "labs/attention_shape.hpp"
#include "labs/predict.hpp"

namespace tilescope {
namespace {

const std::vector<std::string> kFlashRungs{"flash-fp32", "flash-mma", "flash-stages", "flash-q-registers",
                                           "flash-lazy-rescale"};

/// The scores of one head, 4 bytes each.
int64_t kib_of_scores(const Config& config) {
  const AttentionShape shape(config);
  return ceil_divide(shape.queries * shape.keys * 4, 1024);
}

Predict predict_scores() {
  return ask({.question = {"How many KiB does the matrix of scores of one head take in fp32?",
                           "一个头的得分矩阵在 fp32 下占多少 KiB？"},
              .answer = kib_of_scores,
              .others =
                  [](const Config& config) {
                    const AttentionShape shape(config);
                    return std::vector<int64_t>{ceil_divide(shape.queries * shape.depth * 4, 1024),
                                                4 * kib_of_scores(config), kib_of_scores(config) / 4};
                  },
              .why =
                  [](const Config& config) {
                    const AttentionShape shape(config);
                    const std::string sum =
                        fmt::format("{} × {} × 4 / 1,024 = {}", with_separators(shape.queries),
                                    with_separators(shape.keys), with_separators(kib_of_scores(config)));
                    const std::string q = with_separators(ceil_divide(shape.queries * shape.depth * 2, 1024));
                    return Text{sum + ", for each head. Q and O of the head are " + q +
                                    " KiB each, and do not grow with the square of the length.",
                                "每个头 " + sum + "。这个头的 Q、O 各只有 " + q + " KiB，而且不随长度的平方增长。"};
                  },
              .rungs = {"unfused"}});
}

/// Blocks of BLOCK_N keys that a tile of BLOCK_M queries needs, up to the last key that its last query sees.
int64_t blocks_of_tile(const Config& config, const AttentionShape& shape, int64_t tile) {
  const int64_t last = std::min((tile + 1) * config.param("BLOCK_M"), shape.queries) - 1;
  return ceil_divide(shape.visible(last), config.param("BLOCK_N"));
}

struct Blocks {
  int64_t all = 0, computed = 0;
};
Blocks blocks_of_head(const Config& config) {
  const AttentionShape shape(config);
  const int64_t tiles = ceil_divide(shape.queries, config.param("BLOCK_M"));
  Blocks blocks{.all = tiles * ceil_divide(shape.keys, config.param("BLOCK_N"))};
  for (int64_t tile = 0; tile < tiles; ++tile) blocks.computed += blocks_of_tile(config, shape, tile);
  return blocks;
}

Predict predict_skipped_blocks() {
  return ask({.question = {"Tiles of BLOCK_M queries, blocks of BLOCK_N keys: how many blocks of one head are never "
                           "computed?",
                           "每块 BLOCK_M 个查询、BLOCK_N 个键：一个头里有多少块根本不算？"},
              .answer =
                  [](const Config& config) {
                    const Blocks blocks = blocks_of_head(config);
                    return blocks.all - blocks.computed;
                  },
              .others =
                  [](const Config& config) {
                    const Blocks blocks = blocks_of_head(config);
                    return std::vector<int64_t>{0, blocks.all / 2, blocks.computed, blocks.all};
                  },
              .why =
                  [](const Config& config) {
                    const Blocks blocks = blocks_of_head(config);
                    if (!AttentionShape(config).causal)
                      return Text{fmt::format("Without a mask every query sees every key: all {} blocks are computed.",
                                              blocks.all),
                                  fmt::format("没有掩码时，每个查询看到所有的键：{} 块全部要算。", blocks.all)};
                    return Text{fmt::format("A tile needs blocks up to the last key that its last query sees: {} of {} "
                                            "in all, and the rest lies above the diagonal.",
                                            blocks.computed, blocks.all),
                                fmt::format("一个分块只需要到它最后一个查询看得见的键为止：{1} 块里共 {0} "
                                            "块，其余都在对角线以上。",
                                            blocks.computed, blocks.all)};
                  },
              .rungs = kFlashRungs});
}

int64_t count_ctas(const Config& config) {
  const AttentionShape shape(config);
  return ceil_divide(shape.queries, config.param("BLOCK_M")) * shape.all_heads();
}

Predict predict_ctas() {
  return ask({.question = {"A CTA takes BLOCK_M queries of one head. How many CTAs are launched?",
                           "一个线程块处理一个头的 BLOCK_M 个查询。要启动多少个线程块？"},
              .answer = count_ctas,
              .others =
                  [](const Config& config) {
                    const AttentionShape shape(config);
                    return std::vector<int64_t>{ceil_divide(shape.queries, config.param("BLOCK_M")),
                                                ceil_divide(shape.keys, config.param("BLOCK_N")) * count_ctas(config),
                                                shape.all_heads(), 2 * count_ctas(config)};
                  },
              .why =
                  [](const Config& config) {
                    const AttentionShape shape(config);
                    const std::string sum =
                        fmt::format("⌈{} / {}⌉ × {} × {} = {}", with_separators(shape.queries), config.param("BLOCK_M"),
                                    shape.heads, shape.batch, with_separators(count_ctas(config)));
                    return Text{"Tiles × heads × batch: " + sum + ". The keys are a loop inside each CTA.",
                                "分块数 × 头数 × 批大小：" + sum + "。键在线程块内部循环处理。"};
                  },
              .rungs = kFlashRungs,
              .veils = ShownNumber::blocks});
}

int64_t shared_kib_of_stages(const Config& config) {
  const int64_t rows = config.param("BLOCK_M") + 2 * config.param("STAGES") * config.param("BLOCK_N");
  return 2 * config.param("HEAD_DIM") * rows / 1024;
}

Predict predict_shared_memory() {
  return ask({.question = {"Q, and STAGES blocks of K and of V, in 16 bits: how many KiB of shared memory does a CTA "
                           "take?",
                           "Q 加上 K、V 各 STAGES 块，16 位：一个线程块占多少 KiB 共享内存？"},
              .answer = shared_kib_of_stages,
              .others =
                  [](const Config& config) {
                    const int64_t kib = shared_kib_of_stages(config);
                    return std::vector<int64_t>{kib / 2, 2 * kib, kib + 16};
                  },
              .why =
                  [](const Config& config) {
                    const std::string sum = fmt::format(
                        "({} + 2 · {} · {}) · {} · 2 bytes = {} KiB", config.param("BLOCK_M"), config.param("STAGES"),
                        config.param("BLOCK_N"), config.param("HEAD_DIM"), shared_kib_of_stages(config));
                    return Text{sum + ".", sum + "。"};
                  },
              .rungs = {"flash-stages"}});
}

}  // namespace

std::vector<Predict> make_attention_predicts() {
  return {predict_scores(), predict_skipped_blocks(), predict_ctas(), predict_shared_memory()};
}

}  // namespace tilescope
