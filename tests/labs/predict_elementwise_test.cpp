// What is asked about element-wise labs, and about chains of operators: fewer passes over memory, fewer launches.
#include <gtest/gtest.h>

#include "tests/labs/predict_cases.hpp"

namespace tilescope {
namespace {

/// Global accesses of an element, over all launches.
Observe accesses_of_element(const std::string& size) {
  return [size](const RunResult& run) {
    const Counters& counters = run.traffic.counters;
    const uint64_t bytes = counters.global_load_bytes_useful + counters.global_store_bytes_useful;
    return whole(bytes) / (4 * run.config.size(size));
  };
}

/// Bytes of scratch buffers that are written.
int64_t bytes_handed_on(const RunResult& run) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < run.traffic.buffers.size(); ++i)
    if (run.plan.buffers[i].role == Role::scratch) bytes += run.traffic.buffers[i].write_useful;
  return whole(bytes);
}

/// A block whose warps share ⌈n / 32⌉ requests out makes one round for each of its warps' requests.
int64_t rounds_of_block(const RunResult& run) {
  return ceil_divide(whole(run.traffic.counters.global_load_requests), warps(run));
}

std::vector<Case> hello_cases() {
  return {
      {"hello", "grid", 0, blocks, {{}, {{"n", 1000}}, {{"n", 1024}, {"BLOCK", 128}}, {{"n", 1}}}},
      {"hello", "grid", 1, idle_threads, {{}, {{"n", 1000}}, {{"n", 1024}, {"BLOCK", 128}}, {{"n", 1}}}},
      {"hello",
       "one-thread",
       2,
       [](const RunResult& run) { return whole(run.traffic.counters.global_load_requests); },
       {{}, {{"n", 1}}, {{"n", 1000}}}},
      {"hello", "one-block", 3, rounds_of_block, {{}, {{"n", 1000}}, {{"n", 1024}, {"BLOCK", 128}}, {{"n", 1}}}},
      {"hello",
       "grid",
       4,
       [](const RunResult& run) { return whole(run.correctness.at(0).mismatches); },
       {{}, {{"n", 1000}}, {{"n", 5000}, {"BLOCK", 1024}}},
       {"TOO_FEW_BLOCKS"},
       true},
  };
}

std::vector<Case> elementwise_cases(const std::string& lab) {
  return {
      {lab, "tiles-per-cta", 0, blocks, {{}, {{"TILES", 8}}, {{"n", 1000}, {"BLOCK", 128}}, {{"n", 4096}}}},
      {lab, "vector-loads", 1, sectors_per_load, {{{"n", 4096}}, {{"n", 4096}, {"VEC", 2}}, {{"n", 4096}, {"VEC", 1}}}},
      {lab, "thread-per-element", 2, sectors_read, {{}, {{"n", 1000}}, {{"n", 31}}, {{"n", 4096}}}},
      {lab, "tile-per-cta", 3, idle_threads, {{{"n", 1000}}, {{"n", 31}, {"BLOCK", 64}}, {{"n", 4096}}}}};
}

std::vector<Case> chain_cases() {
  return {
      {"sin-cos-add",
       "three-kernels",
       0,
       [](const RunResult& run) {
         return whole(run.traffic.counters.global_bytes_moved()) * 100 / (12 * run.config.size("n"));
       },
       {{{"n", 4096}}, {{"n", 1024}}, {{"n", 32768}}}},
      {"sin-cos-add",
       "three-kernels",
       1,
       [](const RunResult& run) { return bytes_of(buffer(run, "s")) + bytes_of(buffer(run, "c")); },
       {{}, {{"n", 1000}}, {{"n", 4096}}}},
      {"sin-cos-add", "vector-loads", 2, blocks, {{}, {{"n", 1000}}, {{"BLOCK", 64}}}},
      {"sin-cos-add", "three-kernels", 3, sectors_read, {{}, {{"n", 1000}}, {{"n", 31}}}},
      {"gelu", "eight-kernels", 0, accesses_of_element("n"), {{}, {{"n", 1000}}, {{"BLOCK", 64}}}},
      {"gelu", "several-packs", 2, blocks, {{}, {{"n", 1000}, {"PACKS", 1}}, {{"BLOCK", 64}, {"VEC", 2}}}},
      {"gelu", "fused", 3, sectors_read, {{}, {{"n", 1000}}, {{"DTYPE", 1}}}},
      {"fusion", "kernel-per-operator", 0, passes_over_rows, {{}, {{"columns", 33}}, {{"BLOCK", 64}}}},
      {"fusion", "fused-elementwise", 1, bytes_handed_on, {{}, {{"rows", 7}}, {{"columns", 33}}}},
      {"fusion", "fused-elementwise", 2, blocks, {{}, {{"rows", 7}}, {{"columns", 33}, {"BLOCK", 64}}}},
      {"fusion", "fused-into-reduction", 3, barriers, {{}, {{"BLOCK", 32}}, {{"BLOCK", 1024}}}},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> all = hello_cases();
  for (auto&& some : {elementwise_cases("vector-add"), elementwise_cases("vector-multiply"), chain_cases()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}
const bool compared = note_compared(all_cases());

TEST(Predicts, AnswersOfElementwiseLabsAreWhatRunsShow) { expect_what_runs_show(all_cases()); }

}  // namespace
}  // namespace tilescope
