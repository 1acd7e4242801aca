// The questions of lab "layernorm-backward".
#include <algorithm>

#include "engine/numbers.hpp"
#include "labs/layernorm_backward.hpp"
#include "labs/predict.hpp"

namespace tilescope {

int64_t walking_ctas(const Config& config) { return std::min(config.param("SLABS"), config.size("rows")); }

std::string walking_formula(const Config& config) {
  return fmt::format("min({}, {}) = {}", config.param("SLABS"), with_separators(config.size("rows")),
                     walking_ctas(config));
}

namespace {

int64_t ctas_of_columns(const Config& config) { return ceil_divide(config.size("columns"), config.param("BLOCK")); }
int64_t ctas_of_slabs(const Config& config) { return ceil_divide(config.size("columns"), 32) * config.param("SLABS"); }

}  // namespace

std::vector<Predict> make_layernorm_backward_predicts() {
  return {
      {.question = {"Two kernels: how many times do rows of x, dy or dx travel between memory and registers?",
                    "两个内核：x、dy、dx 的一行一共要走几趟（读写都算）？"},
       .choices =
           [](const Config&) {
             return std::vector<int64_t>{3, 5, 7};
           },
       .answer = [](const Config&) { return int64_t{7}; },
       .why =
           [](const Config&) {
             return Text{
                 "dx reads x and dy for the sums, reads both again and writes dx: 5. dgamma and dbeta read both once "
                 "more: 7. Fused: 3.",
                 "dx 为求和读 x、dy，再读一遍，然后写 dx：5 趟。dgamma 和 dbeta 又各读一遍：7 趟。融合后只有 3 趟。"};
           },
       .rungs = {"two-kernels"}},
      ask({.question = {"Two kernels: how many CTAs of BLOCK threads compute dgamma and dbeta?",
                        "两个内核：有多少个 BLOCK 线程的线程块在算 dgamma 和 dbeta？"},
           .answer = ctas_of_columns,
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{config.size("columns"), config.size("rows"), config.param("BLOCK")};
               },
           .why =
               [](const Config& config) {
                 const std::string sum = fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("columns")),
                                                     config.param("BLOCK"), with_separators(ctas_of_columns(config)));
                 return Text{"One thread per column: " + sum + ". The other multiprocessors have nothing to do.",
                             "每列一个线程：" + sum + "。其余的 SM 无事可做。"};
               },
           .rungs = {"two-kernels"}}),
      ask({.question = {"In slabs: a CTA adds 32 columns of one of SLABS slabs of rows. How many such CTAs are there?",
                        "分片：一个线程块把 SLABS 片行中一片的 32 列相加。这样的线程块有多少个？"},
           .answer = ctas_of_slabs,
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{config.param("SLABS"), ceil_divide(config.size("columns"), 32),
                                             config.size("rows")};
               },
           .why =
               [](const Config& config) {
                 const std::string sum = fmt::format("⌈{} / 32⌉ × {} = {}", with_separators(config.size("columns")),
                                                     config.param("SLABS"), with_separators(ctas_of_slabs(config)));
                 return Text{sum + ". A last kernel adds the sums of the slabs.",
                             sum + "。最后一个内核把各片的和相加。"};
               },
           .rungs = {"slabs"}}),
      ask({.question = {"Fused: at most SLABS CTAs loop over the rows. How many are launched?",
                        "融合：至多 SLABS 个线程块循环处理各行。要启动多少个？"},
           .answer = walking_ctas,
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{config.size("rows"), config.param("SLABS"), 2 * config.param("SLABS"),
                                             132};
               },
           .why =
               [](const Config& config) {
                 const std::string grid = walking_formula(config);
                 return Text{grid + ". Each CTA keeps its column sums from row to row, so few are better than many.",
                             grid + "。每个线程块把各列的和从一行带到下一行，所以少比多好。"};
               },
           .rungs = {"fused"},
           .veils = ShownNumber::blocks}),
  };
}

}  // namespace tilescope
