// The questions of lab "reduction-sum".
#include <algorithm>

#include "engine/numbers.hpp"
#include "labs/predict.hpp"
#include "labs/reduction_sum.hpp"

namespace tilescope {

std::vector<int64_t> levels(int64_t n, int64_t per_cta) {
  std::vector<int64_t> left{ceil_divide(n, per_cta)};
  while (left.back() > 1) left.push_back(ceil_divide(left.back(), per_cta));
  return left;
}

int64_t share_of_cta(const Config& config) {
  return config.param("BLOCK") * config.param("VEC") * config.param("LOADS") * config.param("TILES");
}

std::string share_formula(const Config& config) {
  return fmt::format("⌈{} / ({} × {} × {} × {})⌉ = {}", with_separators(config.size("n")), config.param("BLOCK"),
                     config.param("VEC"), config.param("LOADS"), config.param("TILES"),
                     with_separators(ceil_divide(config.size("n"), share_of_cta(config))));
}

namespace {

std::vector<int64_t> sorted_choices(std::vector<int64_t> choices, int64_t answer) {
  choices.push_back(answer);
  std::sort(choices.begin(), choices.end());
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  return choices;
}

/// Warps of a CTA in which some lane still adds at stride 8 of the divergent tree.
int64_t divergent_warps(const Config& config) { return config.param("BLOCK") / 32; }

/// The same for the fourth step of the folded tree, where equally many threads still add.
int64_t folded_warps(const Config& config) { return std::max<int64_t>(config.param("BLOCK") / 16 / 32, 1); }

int64_t launches_of_tree(const Config& config) {
  return static_cast<int64_t>(levels(config.size("n"), 2 * config.param("BLOCK")).size());
}

}  // namespace

std::vector<Predict> make_reduction_predicts() {
  return {
      {.question = {"Divergent stride, step 4 (stride 8): in how many warps of a CTA does a thread still add?",
                    "发散步长，第 4 步（步长 8）：一个线程块里还有几个线程束有线程在做加法？"},
       .choices =
           [](const Config& config) {
             return sorted_choices({1, folded_warps(config), 4}, divergent_warps(config));
           },
       .answer = divergent_warps,
       .why =
           [](const Config& config) {
             const int64_t block = config.param("BLOCK");
             return Text{fmt::format("{} threads add, every 16th: two in each of {} warps. With the sequential stride "
                                     "they are neighbours and take only {} of them.",
                                     block / 16, divergent_warps(config), folded_warps(config)),
                         fmt::format("有 {} 个线程在加，每 16 个里一个：{} "
                                     "个线程束每个都有两个。连续步长时它们挨在一起，只占 {} 个线程束。",
                                     block / 16, divergent_warps(config), folded_warps(config))};
           },
       .rungs = {"divergent-stride"}},
      {.question = {"Warp shuffle: how many launches until one number is left?",
                    "线程束洗牌：要启动几次内核，才只剩下一个数？"},
       .choices =
           [](const Config& config) {
             return sorted_choices({1, 2, 3, 4}, launches_of_tree(config));
           },
       .answer = launches_of_tree,
       .why =
           [](const Config& config) {
             std::string chain = with_separators(config.size("n"));
             for (const int64_t left : levels(config.size("n"), 2 * config.param("BLOCK")))
               chain += " → " + with_separators(left);
             return Text{fmt::format("A CTA turns 2 × {} numbers into one: {}.", config.param("BLOCK"), chain),
                         fmt::format("一个线程块把 2 × {} 个数变成一个：{}。", config.param("BLOCK"), chain)};
           },
       .rungs = {"warp-shuffle"},
       .veils = ShownNumber::launches},
      ask({.question = {"A CTA adds BLOCK × VEC × LOADS × TILES numbers and makes one atomic addition. How many CTAs?",
                        "一个线程块把 BLOCK × VEC × LOADS × TILES 个数相加，做一次原子加。有多少个线程块？"},
           .answer = [](const Config& config) { return ceil_divide(config.size("n"), share_of_cta(config)); },
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{ceil_divide(config.size("n"), config.param("BLOCK")),
                                             config.size("n") / share_of_cta(config),
                                             2 * ceil_divide(config.size("n"), share_of_cta(config))};
               },
           .why =
               [](const Config& config) {
                 return Text{share_formula(config) + ".", share_formula(config) + "。"};
               },
           .rungs = {"vector-loads"},
           .veils = ShownNumber::blocks}),
      ask({.question = {"Atomic per element: how many atomic instructions do all warps execute?",
                        "每元素一次原子加：所有线程束一共执行多少条原子指令？"},
           .answer = [](const Config& config) { return ceil_divide(config.size("n"), 32); },
           .others =
               [](const Config& config) {
                 const int64_t n = config.size("n");
                 return std::vector<int64_t>{n, ceil_divide(n, config.param("BLOCK")), 1};
               },
           .why =
               [](const Config& config) {
                 const std::string sum = fmt::format("⌈{} / 32⌉ = {}", with_separators(config.size("n")),
                                                     with_separators(ceil_divide(config.size("n"), 32)));
                 return Text{"A warp executes one instruction for its 32 lanes: " + sum +
                                 ". The L2 still makes one addition for each element, all to the same address.",
                             "一个线程束为 32 个通道执行一条指令：" + sum +
                                 "。但 L2 仍要为每个元素做一次加法，而且都加到同一个地址。"};
               },
           .rungs = {"atomic-per-element"},
           .veils = ShownNumber::sectors}),
  };
}

}  // namespace tilescope
