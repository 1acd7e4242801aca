// What is asked about attention and about the layer of a Transformer.
#include <gtest/gtest.h>

#include "tests/labs/predict_cases.hpp"

namespace tilescope {
namespace {

/// Blocks of keys that were read, of all; K is read once for each block that is computed.
int64_t skipped_blocks(const RunResult& run) {
  const Config& config = run.config;
  const int64_t heads = config.size("batch") * config.size("heads");
  const int64_t of_block = config.param("BLOCK_N") * config.param("HEAD_DIM") * 2;
  const BufferTraffic& k = *std::ranges::find(run.traffic.buffers, "k", &BufferTraffic::name);
  const int64_t all = ceil_divide(config.size("queries"), config.param("BLOCK_M")) *
                      ceil_divide(config.size("keys"), config.param("BLOCK_N"));
  return all - whole(k.read_useful) / of_block / heads;
}

int64_t kib_of_scores(const RunResult& run) {
  const BufferSpec& scores = buffer(run, "scores");
  return bytes_of(scores) / (scores.shape[0] * scores.shape[1]) / 1024;
}

/// Launches that multiply matrices.
int64_t products_launched(const RunResult& run) {
  const std::set<std::string> products{"matmul", "query_key", "weights_value"};
  return std::ranges::count_if(run.plan.launches,
                               [&](const Launch& launch) { return products.contains(launch.kernel); });
}

int64_t bytes_of_scores(const RunResult& run) { return bytes_of(buffer(run, "scores")); }

/// What a row of Q, K and V has besides Q.
int64_t keys_and_values(const RunResult& run) {
  return buffer(run, "qkv").shape.at(1) - buffer(run, "normed").shape.at(1);
}

/// A multiplication and an addition for each score that was written and each element of a head.
int64_t flops_of_scores(const RunResult& run) {
  const int64_t head_dim = buffer(run, "context").shape.at(1) / buffer(run, "scores").shape.at(1);
  return 2 * whole(traffic_of(run, "scores").write_useful) / 4 / 3 * head_dim;  // scale and mask write them again
}
std::vector<Case> layer_cases() {
  const std::vector<Setting> settings{
      {}, {{"batch", 2}, {"sequence", 33}}, {{"heads", 8}, {"kv_heads", 8}}, {{"hidden", 128}, {"kv_heads", 1}}};
  const std::string rung = "kernel-per-operator";
  return {{"transformer-graph", rung, 0, launches, settings},
          {"transformer-graph", rung, 1, products_launched, settings},
          {"transformer-graph", rung, 2, bytes_of_scores, settings},
          {"transformer-graph", "fused", 3, keys_and_values, settings},
          {"transformer-graph", rung, 4, flops_of_scores, settings}};
}
const bool compared_layer = note_compared(layer_cases());

std::vector<Case> attention_cases() {
  return {
      {"attention",
       "unfused",
       0,
       kib_of_scores,
       {{}, {{"queries", 64}, {"keys", 128}}, {{"queries", 128}, {"keys", 64}}}},
      {"attention",
       "flash-stages",
       1,
       skipped_blocks,
       {{{"queries", 256}, {"keys", 256}, {"CAUSAL", 1}},
        {{"queries", 128}, {"keys", 256}, {"CAUSAL", 1}},
        {{"queries", 128}, {"keys", 128}, {"CAUSAL", 0}}}},
      {"attention",
       "flash-mma",
       2,
       blocks,
       {{}, {{"queries", 64}, {"keys", 64}}, {{"queries", 100}, {"keys", 130}, {"batch", 2}}}},
      {"attention", "flash-stages", 3, shared_kib, {{}, {{"STAGES", 3}}, {{"BLOCK_N", 128}}}},
      {"attention-backward",
       "mma-one-pass",
       1,
       [](const RunResult& run) { return int64_t{run.plan.launches.at(1).grid.x}; },
       {{}, {{"keys", 200}}, {{"BLOCK_N", 128}}}},
      {"attention-backward", "mma-one-pass", 2, blocks_of_launch(1), {{}, {{"keys", 200}}, {{"BLOCK_N", 128}}}},
      {"attention-backward", "recompute-fp32", 3, blocks_of_launch(1), {{}, {{"queries", 30}}, {{"batch", 2}}}},
  };
}
const bool compared = note_compared(attention_cases());

TEST(Predicts, AnswersAboutALayerAreWhatRunsShow) { expect_what_runs_show(layer_cases()); }

TEST(Predicts, AnswersAboutAttentionAreWhatRunsShow) { expect_what_runs_show(attention_cases()); }

}  // namespace
}  // namespace tilescope
