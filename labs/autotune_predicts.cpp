// The questions of lab "autotune".
#include "engine/numbers.hpp"
#include "labs/autotune.hpp"
#include "labs/predict.hpp"

namespace tilescope {
namespace {

constexpr int64_t kKib = 1024;

Predict predict_accumulators() {
  return ask({.question = {"WARPS warps share a tile of BM × BN. How many registers of each lane hold results?",
                           "WARPS 个线程束分摊 BM × BN 的分块。每个通道有多少个寄存器存放结果？"},
              .answer = accumulators_of_lane,
              .others = [](const Config& config) { return counts_around(accumulators_of_lane(config)); },
              .why =
                  [](const Config& config) {
                    const std::string sum =
                        fmt::format("{} · {} / (32 · {}) = {}", config.param("BM"), config.param("BN"),
                                    config.param("WARPS"), accumulators_of_lane(config));
                    return Text{sum + ". With more than 128 no room is left for the fragments.",
                                sum + "。超过 128 个，就没有地方放片段了。"};
                  },
              .rungs = {"one-size"}});
}

Predict predict_tile_memory() {
  const auto kib = [](const Config& config) { return shared_bytes_of_cta(config) / kKib; };
  return ask({.question = {"STAGES k-tiles of A and of B: how many KiB of shared memory does a CTA take?",
                           "A、B 各 STAGES 个 k 分块：一个线程块占多少 KiB 共享内存？"},
              .answer = kib,
              .others =
                  [kib](const Config& config) {
                    return std::vector<int64_t>{kib(config) / config.param("STAGES"), 2 * kib(config), kib(config) / 2};
                  },
              .why =
                  [kib](const Config& config) {
                    const std::string sum =
                        fmt::format("({} + {}) · {} · 2 · {} bytes = {} KiB", config.param("BM"), config.param("BN"),
                                    config.param("BK"), config.param("STAGES"), kib(config));
                    return Text{sum + ".", sum + "。"};
                  },
              .rungs = {"one-size"}});
}

/// CTAs that read the same row of A.
int64_t reads_of_a(const Config& config) { return ceil_divide(config.size("N"), config.param("BN")); }

Predict predict_reads() {
  return ask({.question = {"How often do the CTAs together read each element of A from global memory?",
                           "所有线程块合起来，从全局内存读 A 的每个元素多少次？"},
              .answer = reads_of_a,
              .others =
                  [](const Config& config) {
                    return std::vector<int64_t>{1, ceil_divide(config.size("M"), config.param("BM")),
                                                config.param("BN"), 2 * reads_of_a(config)};
                  },
              .why =
                  [](const Config& config) {
                    const std::string sum = fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("N")),
                                                        config.param("BN"), reads_of_a(config));
                    return Text{"Once for each tile in a tile row of C: " + sum + ". A wider tile reads A less often.",
                                "C 的一个分块行里有几个分块就读几次：" + sum + "。分块越宽，A 读得越少。"};
                  },
              .rungs = {"one-size", "triton"}});
}

}  // namespace

std::vector<Predict> make_autotune_predicts() {
  return {predict_accumulators(), predict_tile_memory(), ask_tiles({"one-size", "triton"}), predict_reads()};
}

}  // namespace tilescope
