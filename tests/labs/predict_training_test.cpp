// What is asked about the labs of stage 9: gradients, and kernels as operators of PyTorch.
#include <gtest/gtest.h>

#include "tests/labs/predict_cases.hpp"

namespace tilescope {
namespace {

/// Two matrices are written, and a vector has half a sector.
int64_t vectors_of_a_row(const RunResult& run) {
  return whole(run.traffic.counters.global_store_sectors) / run.config.size("rows");
}
/// The tile is the one that Triton compiled.
int64_t padding_of_a_tile(const RunResult& run) {
  for (const auto& [name, value] : run.compiled.triton.front().constexprs)
    if (name == "BLOCK_SIZE") return std::stoll(value) - run.config.size("columns");
  return -1;
}

std::vector<Case> training_cases() {
  return {
      {"autograd", "chain", 0, launches, {{}, {{"SAVE", 1}}, {{"SAVE", 2}}}},
      {"autograd", "gelu", 1, passes_over_rows, {{}, {{"SAVE", 1}}, {{"SAVE", 2}, {"rows", 33}}}},
      {"autograd", "layernorm", 2, blocks_of_launch(2), {{}, {{"columns", 1000}}, {{"BLOCK", 64}}}},
      {"autograd", "multiply", 3, sectors_read, {{}, {{"rows", 64}}, {{"columns", 1000}}}},
      {"pytorch-op", "kernel-per-operator", 0, blocks, {{}, {{"rows", 7}}, {{"columns", 33}, {"BLOCK", 64}}}},
      {"pytorch-op", "fused", 1, blocks, {{}, {{"rows", 7}}, {{"columns", 33}}}},
      {"pytorch-op",
       "fused-in-registers",
       2,
       vectors_of_a_row,
       {{}, {{"columns", 64}}, {{"columns", 512}, {"DTYPE", 1}}}},
      {"pytorch-op", "triton-fused", 3, padding_of_a_tile, {{}, {{"columns", 33}}, {{"columns", 600}}}},
  };
}
const bool compared = note_compared(training_cases());

TEST(Predicts, AnswersAboutTrainingAreWhatRunsShow) { expect_what_runs_show(training_cases()); }

}  // namespace
}  // namespace tilescope
