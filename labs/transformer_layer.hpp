// The sizes of the layer that lab "transformer-graph" runs, and its questions.
#pragma once

#include <memory>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

struct LayerShape {
  int64_t batch, sequence, hidden, heads, kv_heads, ratio;

  explicit LayerShape(const Config& config)
      : batch(config.size("batch")),
        sequence(config.size("sequence")),
        hidden(config.size("hidden")),
        heads(config.size("heads")),
        kv_heads(config.size("kv_heads")),
        ratio(config.size("ratio")) {}

  int64_t tokens() const { return batch * sequence; }
  int64_t head_dim() const { return hidden / heads; }
  int64_t kv_width() const { return kv_heads * head_dim(); }
  int64_t qkv_width() const { return hidden + 2 * kv_width(); }
  int64_t mlp() const { return ratio * hidden; }
  int64_t scores() const { return batch * heads * sequence * sequence; }
};

/// Buffers of the rungs; the last four only where no operators are fused into attention.
enum LayerBuffer : size_t {
  kLayerX,
  kGamma1,
  kBeta1,
  kWeightQkv,
  kWeightO,
  kGamma2,
  kBeta2,
  kWeightUp,
  kWeightDown,
  kLayerOut,
  // Between kernels; a fused rung leaves some of them untouched.
  kNormed,
  kQkv,
  kContext,
  kMiddle,
  kActive,
  kProjected,
  kUp,
  kScores,
  kWeights
};
constexpr float kLayerEpsilon = 1e-5F;

std::vector<Predict> make_layer_predicts();
/// Lab::reference, in double precision.
void expect_layer_output(const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& inputs, size_t,
                         size_t begin, size_t end, double* expected);

}  // namespace tilescope
