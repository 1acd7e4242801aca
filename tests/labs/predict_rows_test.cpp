// What is asked about labs whose operators work on rows: softmax and the norms.
#include <gtest/gtest.h>

#include "engine/specs.hpp"
#include "tests/labs/predict_cases.hpp"

namespace tilescope {
namespace {

std::vector<Case> row_cases() {
  const std::vector<Setting> lanes{{}, {{"LANES", 4}}, {{"rows", 50}, {"BLOCK", 64}}};
  const std::vector<Setting> ctas{{}, {{"CTAS", 2}}, {{"rows", 10}}};
  return {
      {"softmax", "five-kernels", 0, passes_over_rows, {{}, {{"rows", 20}}, {{"columns", 1000}, {"rows", 20}}}},
      {"softmax",
       "cta-per-row",
       1,
       [](const RunResult& run) { return barriers(run) / 2; },
       {{}, {{"BLOCK", 64}}, {{"BLOCK", 256}}}},
      {"softmax",
       "thread-per-row",
       2,
       sectors_per_load,
       {{{"rows", 256}}, {{"rows", 256}, {"columns", 4}}, {{"rows", 256}, {"columns", 1}}}},
      {"softmax", "several-rows", 3, blocks, lanes},
      {"layernorm", "two-pass", 0, passes_over_rows, {{}, {{"rows", 20}}, {{"columns", 1000}, {"rows", 20}}}},
      {"layernorm", "several-rows", 2, blocks, lanes},
      {"layernorm", "several-ctas", 3, blocks, ctas},
      {"layernorm-backward",
       "two-kernels",
       0,
       passes_over_rows,
       {{}, {{"rows", 100}}, {{"columns", 1000}, {"rows", 100}}}},
      {"layernorm-backward", "two-kernels", 1, blocks_of_launch(1), {{}, {{"columns", 1000}}, {{"BLOCK", 64}}}},
      {"layernorm-backward", "slabs", 2, blocks_of_launch(1), {{}, {{"columns", 1000}}, {{"columns", 33}}}},
      {"layernorm-backward", "fused", 3, blocks, {{}, {{"rows", 10}}, {{"rows", 40}, {"columns", 100}}}},
      {"rmsnorm",
       "scheme-1",
       0,
       [](const RunResult& run) { return std::max<int64_t>(0, usual_gpu().multiprocessors - blocks(run)); },
       {{}, {{"rows", 16}}, {{"rows", 100}}}},
      {"rmsnorm",
       "scheme-4",
       1,
       [](const RunResult& run) { return run.config.size("rows") / blocks(run); },
       {{{"rows", 256}}, {{"rows", 256}, {"LANES", 4}}, {{"rows", 256}, {"BLOCK", 64}}}},
      {"rmsnorm", "scheme-3", 2, blocks, ctas},
      {"rmsnorm", "scheme-4", 3, blocks, lanes},
  };
}
const bool compared = note_compared(row_cases());

TEST(Predicts, AnswersAboutRowsAreWhatRunsShow) { expect_what_runs_show(row_cases()); }

}  // namespace
}  // namespace tilescope
