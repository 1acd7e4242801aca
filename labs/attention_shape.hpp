// What the attention labs share: sizes, parameters, and the forward pass of one query in double precision.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/limits.hpp"

namespace tilescope {

constexpr int64_t kMostRegisters = 255;  // per thread

/// The sizes and parameters of one run, by name.
struct AttentionShape {
  int64_t batch, heads, kv_heads, queries, keys, depth;  // depth: of one head, 64 or 128
  bool causal;
  DType type;
  explicit AttentionShape(const Config& config);

  int64_t all_heads() const { return batch * heads; }
  int64_t group() const { return heads / kv_heads; }        // heads of Q per head of K and V
  int64_t rows() const { return batch * heads * queries; }  // in Q and O
  /// Number of keys that a query sees: the last query sees the last key.
  int64_t visible(int64_t query) const;
  /// Number of (query, visible key) pairs over all heads.
  double pairs() const;
  double scale() const;
};

/// Peak rate for a rung: tensor cores, or CUDA cores in fp32.
PeakRate attention_rate(const Config& config, bool tensor_cores);

/// batch, heads, kv_heads, queries and keys.
std::vector<Size> make_attention_sizes(int64_t length);
/// HEAD_DIM, CAUSAL, DTYPE, BLOCK_M, BLOCK_N, STAGES and WARPS.
std::vector<Param> make_attention_params();
/// The questions of the forward pass (attention_predicts.cpp).
std::vector<Predict> make_attention_predicts();
BreakIt make_tile_barrier_switch(std::vector<std::string> rungs, std::vector<Plant> plants);

/// [batch, heads, length, depth] in 16 bits.
BufferSpec make_heads(std::string name, const AttentionShape& shape, bool of_keys, Role role);
/// One float for each query.
BufferSpec make_row_values(std::string name, const AttentionShape& shape, Role role);

/// What no kernel takes: heads that are not a multiple of kv_heads, or more CTAs than a grid has room for.
Result<void> check_heads(const Config& config);

/// The elements of a buffer of 16 bits, as numbers.
class Halves {
 public:
  explicit Halves(const HostBuffer& buffer);
  double operator[](int64_t at) const { return double{values_[static_cast<size_t>(bits_[static_cast<size_t>(at)])]}; }

 private:
  std::span<const uint16_t> bits_;
  const float* values_;  // for every pattern of 16 bits
};

/// The scaled scores of one query, of the keys that it sees. `head` counts through the whole batch.
std::vector<double> scores_of(const AttentionShape& shape, const Halves& q, const Halves& k, int64_t head,
                              int64_t query);
/// log(Σ exp(score)); −∞ of none.
double log_sum_exp(const std::vector<double>& scores);

}  // namespace tilescope
