// What lab "transformer-graph" compares with: the layer in double precision, row by row.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "labs/transformer_layer.hpp"

namespace tilescope {
namespace {

using LayerInputs = std::vector<std::shared_ptr<const HostBuffer>>;

std::vector<double> normalised(const std::vector<double>& row, const HostBuffer& gamma, const HostBuffer& beta) {
  double mean = 0, squares = 0;
  for (const double value : row) mean += value;
  mean /= static_cast<double>(row.size());
  for (const double value : row) squares += (value - mean) * (value - mean);
  const double rstd = 1 / std::sqrt(squares / static_cast<double>(row.size()) + double{kLayerEpsilon});
  std::vector<double> out(row.size());
  for (size_t c = 0; c < row.size(); ++c) out[c] = (row[c] - mean) * rstd * value_at(gamma, c) + value_at(beta, c);
  return out;
}
/// row · W, the columns [first, first + count) of W, whose rows are `step` long.
std::vector<double> projected(const std::vector<double>& row, const HostBuffer& weight, int64_t step, int64_t first,
                              int64_t count) {
  const auto values = weight.as<float>();
  std::vector<double> out(static_cast<size_t>(count));
  for (size_t k = 0; k < row.size(); ++k) {
    const size_t from = k * static_cast<size_t>(step) + static_cast<size_t>(first);
    for (size_t c = 0; c < out.size(); ++c) out[c] += row[k] * double{values[from + c]};
  }
  return out;
}
std::vector<double> row_of(const HostBuffer& x, int64_t token, int64_t hidden) {
  const auto values = x.as<float>();
  const auto from = values.begin() + token * hidden;
  return {from, from + hidden};
}

/// K and V of all tokens, which every row needs: computed once for a set of inputs, whichever thread comes first.
using KeysValues = std::vector<std::vector<double>>;
std::shared_ptr<const KeysValues> keys_values_of(const LayerShape& layer, const Config& config,
                                                 const LayerInputs& inputs) {
  static std::mutex mutex;
  static std::weak_ptr<const HostBuffer> known_x;
  static Config known_config;
  static std::shared_ptr<const KeysValues> known;
  const std::scoped_lock lock(mutex);
  if (known && known_x.lock() == inputs[kLayerX] && known_config.sizes == config.sizes) return known;
  auto rows = std::make_shared<KeysValues>();
  for (int64_t token = 0; token < layer.tokens(); ++token)
    rows->push_back(
        projected(normalised(row_of(*inputs[kLayerX], token, layer.hidden), *inputs[kGamma1], *inputs[kBeta1]),
                  *inputs[kWeightQkv], layer.qkv_width(), layer.hidden, 2 * layer.kv_width()));
  known_x = inputs[kLayerX];
  known_config = config;
  return known = rows;
}

/// The row of `context` of one token: causal attention of its heads.
std::vector<double> attended(const LayerShape& layer, const std::vector<double>& q, const KeysValues& rows,
                             int64_t token) {
  const auto depth = static_cast<size_t>(layer.head_dim());
  const int64_t first = token / layer.sequence * layer.sequence;
  std::vector<double> context(static_cast<size_t>(layer.hidden));
  for (int64_t head = 0; head < layer.heads; ++head) {
    const size_t from = static_cast<size_t>(head) * depth;
    const size_t of_keys = static_cast<size_t>(head / (layer.heads / layer.kv_heads)) * depth;
    const size_t of_values = of_keys + static_cast<size_t>(layer.kv_width());
    std::vector<double> weights;
    for (int64_t key = first; key <= token; ++key) {
      double score = 0;
      for (size_t d = 0; d < depth; ++d) score += q[from + d] * rows[static_cast<size_t>(key)][of_keys + d];
      weights.push_back(score / std::sqrt(static_cast<double>(depth)));
    }
    const double max = *std::ranges::max_element(weights);
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - max);
    for (size_t key = 0; key < weights.size(); ++key)
      for (size_t d = 0; d < depth; ++d)
        context[from + d] += weights[key] / sum * rows[static_cast<size_t>(first) + key][of_values + d];
  }
  return context;
}

double gelu_in_double(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

std::vector<double> expected_row(const LayerShape& layer, const LayerInputs& inputs, const KeysValues& rows,
                                 int64_t token) {
  const std::vector<double> x = row_of(*inputs[kLayerX], token, layer.hidden);
  const std::vector<double> q = projected(normalised(x, *inputs[kGamma1], *inputs[kBeta1]), *inputs[kWeightQkv],
                                          layer.qkv_width(), 0, layer.hidden);
  std::vector<double> middle =
      projected(attended(layer, q, rows, token), *inputs[kWeightO], layer.hidden, 0, layer.hidden);
  for (size_t c = 0; c < middle.size(); ++c) middle[c] += x[c];
  std::vector<double> up =
      projected(normalised(middle, *inputs[kGamma2], *inputs[kBeta2]), *inputs[kWeightUp], layer.mlp(), 0, layer.mlp());
  for (double& value : up) value = gelu_in_double(value);
  std::vector<double> out = projected(up, *inputs[kWeightDown], layer.hidden, 0, layer.hidden);
  for (size_t c = 0; c < out.size(); ++c) out[c] += middle[c];
  return out;
}

}  // namespace

void expect_layer_output(const Config& config, const LayerInputs& inputs, size_t, size_t begin, size_t end,
                         double* expected) {
  const LayerShape layer(config);
  const auto rows = keys_values_of(layer, config, inputs);
  const auto hidden = static_cast<size_t>(layer.hidden);
  for (size_t at = begin; at < end;) {
    const size_t first = at % hidden, count = std::min(hidden - first, end - at);
    const std::vector<double> row = expected_row(layer, inputs, *rows, static_cast<int64_t>(at / hidden));
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first), count, expected + (at - begin));
    at += count;
  }
}

}  // namespace tilescope
