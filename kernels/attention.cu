// O = softmax(Q · K^T / √D) · V for each head. Q and O are batch × heads × queries × D, K and V batch × kv_heads × keys
// × D; heads / kv_heads neighbouring heads of Q share a head of K and V. lse is log(sum of exp(scores)) of every query.
//
// attention_fp32.cuh and attention_mma.cuh hold what the rungs do with their tiles, under the same names, so that the
// loops of the flash kernels can be read side by side.
//
// BLOCK_M  queries of a CTA     BLOCK_N  keys of a block of K and V     STAGES  such blocks in shared memory
// WARPS    warps of a CTA on the tensor cores; the other kernels have 256 threads, or 4 warps
#include "attention_fp32.cuh"
#include "attention_mma.cuh"

/// Where a head's matrices begin. Heads are numbered through the whole batch.
struct Head {
  const Element *q, *k, *v;  // queries × D, keys × D, keys × D
  long long first_row;       // in Q, O and lse
  __device__ Head(const Element* all_q, const Element* all_k, const Element* all_v, int head, int group, int queries,
                  int keys)
      : first_row(static_cast<long long>(head) * queries) {
    const long long key_row = static_cast<long long>(head / group) * keys;
    q = all_q + first_row * D;
    k = all_k + key_row * D;
    v = all_v + key_row * D;
  }
};

/// e^x: the hardware has 2^x.
__device__ inline float fast_exp(float x) { return ex2_approx(x * LOG2_E); }

// ---- Unfused: three kernels. The scores of all queries and all keys lie in global memory between them.

extern "C" __global__ void __launch_bounds__(FP32_THREADS)
    score_tiles(const Element* q, const Element* k, const Element* v, float* scores, int group, int queries, int keys,
                float scale) {
  extern __shared__ __align__(16) float tiles[];
  float *q_tile = tiles, *k_tile = tiles + BLOCK_M * PITCH;  // BLOCK_M × D, BLOCK_N × D
  const Head head(q, k, v, blockIdx.z, group, queries, keys);
  const int first_key = blockIdx.x * BLOCK_N, first_query = blockIdx.y * BLOCK_M;
  load_tile<BLOCK_M>(q_tile, head.q, first_query, queries);
  load_tile<BLOCK_N>(k_tile, head.k, first_key, keys);
  __syncthreads();
  Fp32Scores s;
  multiply_keys(s, q_tile, k_tile);
  for (int i = 0; i < ROWS; ++i) {
    const int query = first_query + threadIdx.x / SIDE + SIDE * i;
    for (int j = 0; j < COLUMNS; ++j) {
      const int key = first_key + threadIdx.x % SIDE + SIDE * j;
      if (query < queries && key < keys)
        scores[(head.first_row + query) * keys + key] =
            key < visible_keys(query, queries, keys) ? s[i][j] * scale : negative_infinity();
    }
  }
}

// A warp has a row. It reads the row three times: for the maximum, for the sum, and to replace scores by weights.
extern "C" __global__ void softmax_rows(float* scores, float* lse, int rows, int keys) {
  const int row = (blockIdx.x * FP32_THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  float* score = scores + static_cast<long long>(row) * keys;
  float max = LOWEST, sum = 0;
  for (int key = lane; key < keys; key += 32) max = fmaxf(max, score[key]);
  for (int distance = 16; distance > 0; distance /= 2) max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, distance));
  for (int key = lane; key < keys; key += 32) sum += fast_exp(score[key] - max);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  const float factor = sum > 0 ? 1 / sum : 0;  // a query that sees no key gets zeros
  for (int key = lane; key < keys; key += 32) score[key] = fast_exp(score[key] - max) * factor;
  if (lane == 0) lse[row] = sum > 0 ? max + logf(sum) : negative_infinity();
}

extern "C" __global__ void __launch_bounds__(FP32_THREADS)
    apply_weights(const float* scores, const Element* q, const Element* k, const Element* v, Element* out, int group,
                  int queries, int keys) {
  extern __shared__ __align__(16) float tiles[];
  float *v_tile = tiles, *p_tile = tiles + BLOCK_N * PITCH;  // BLOCK_N × D, BLOCK_M × BLOCK_N
  const Head head(q, k, v, blockIdx.y, group, queries, keys);
  const int first_query = blockIdx.x * BLOCK_M;
  Fp32Output o = {};
  for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {
    __syncthreads();  // the previous tiles have been read
    load_tile<BLOCK_N>(v_tile, head.v, first_key, keys);
    for (int i = threadIdx.x; i < BLOCK_M * BLOCK_N; i += FP32_THREADS) {
      const int query = first_query + i / BLOCK_N, key = first_key + i % BLOCK_N;
      p_tile[i / BLOCK_N * P_PITCH + i % BLOCK_N] =
          query < queries && key < keys ? scores[(head.first_row + query) * keys + key] : 0;
    }
    __syncthreads();
    multiply_values(o, p_tile, v_tile);
  }
  Fp32Rows factor;
  for (int i = 0; i < ROWS; ++i) factor[i] = 1;  // the weights of a row sum to 1
  store_rows(o, factor, out + head.first_row * D, first_query, queries);
}

// ---- Online: a warp loops over the keys of one query, once. m is the largest score so far, l the sum of
// exp(score - m), o the sum of exp(score - m) · v. When m rises, l and o are scaled to the new m.

extern "C" __global__ void online_row(const Element* q, const Element* k, const Element* v, Element* out, float* lse,
                                      float4* trace, int group, int queries, int keys, int rows, float scale) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  const Head head(q, k, v, row / queries, group, queries, keys);
  const int query = row % queries;
  float q_row[D / 32], o[D / 32] = {}, m = LOWEST, l = 0;  // a lane's share of the D columns
  for (int i = 0; i < D / 32; ++i) q_row[i] = to_float(head.q[static_cast<long long>(query) * D + lane + 32 * i]);

  const int visible = visible_keys(query, queries, keys);
  for (int key = 0; key < visible; ++key) {
    const long long offset = static_cast<long long>(key) * D + lane;
    float score = 0;
    for (int i = 0; i < D / 32; ++i) score += q_row[i] * to_float(head.k[offset + 32 * i]);
    for (int distance = 16; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffff, score, distance);
    score *= scale;

    const float new_max = fmaxf(m, score);
    const float rescale = fast_exp(m - new_max);
    const float p = fast_exp(score - new_max);
    l = l * rescale + p;
    for (int i = 0; i < D / 32; ++i) o[i] = o[i] * rescale + p * to_float(head.v[offset + 32 * i]);
    m = new_max;
    if (row == queries - 1 && lane == 0) trace[key] = make_float4(score, m, l, rescale);  // one row, for the views
  }

  const float factor = l > 0 ? 1 / l : 0;
  for (int i = 0; i < D / 32; ++i)
    out[static_cast<long long>(row) * D + lane + 32 * i] = static_cast<Element>(o[i] * factor);
  if (lane == 0) lse[row] = l > 0 ? m + logf(l) : negative_infinity();
}

// ---- Flash: the same for BLOCK_M queries and BLOCK_N keys at a time. Scores exist only in registers, and only those
// of one block.

/// The blocks of keys that the queries [first, first + BLOCK_M) see. The first `unmasked` of them need no mask.
struct KeyBlocks {
  int blocks, unmasked;
  __device__ KeyBlocks(int first, int queries, int keys) {
    blocks = (visible_keys(min(first + BLOCK_M, queries) - 1, queries, keys) + BLOCK_N - 1) / BLOCK_N;
    unmasked = visible_keys(first, queries, keys) / BLOCK_N;
  }
};
/// With a causal mask the last queries see the most keys: their CTAs start first, and the short ones fill the gaps.
__device__ inline int first_query_of_cta() { return (CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * BLOCK_M; }

extern "C" __global__ void __launch_bounds__(FP32_THREADS)
    flash_fp32(const Element* q, const Element* k, const Element* v, Element* out, float* lse, int group, int queries,
               int keys, float scale) {
  extern __shared__ __align__(16) float tiles[];
  float *q_tile = tiles, *kv_tile = q_tile + BLOCK_M * PITCH;  // BLOCK_M × D, BLOCK_N × D
  float* p_tile = kv_tile + BLOCK_N * PITCH;                   // BLOCK_M × BLOCK_N
  const Head head(q, k, v, blockIdx.z * gridDim.y + blockIdx.y, group, queries, keys);
  const int first_query = first_query_of_cta();
  const KeyBlocks range(first_query, queries, keys);
  const float scale_log2 = scale * LOG2_E;
  load_tile<BLOCK_M>(q_tile, head.q, first_query, queries);

  Fp32Output o = {};
  Fp32Rows m, l = {}, rescale;
  for (float& max : m) max = LOWEST;
#pragma unroll 1
  for (int block = 0; block < range.blocks; ++block) {
    __syncthreads();  // V of the previous block has been read
    load_tile<BLOCK_N>(kv_tile, head.k, block * BLOCK_N, keys);
    __syncthreads();
    Fp32Scores s;
    multiply_keys(s, q_tile, kv_tile);
    __syncthreads();  // K has been read
    load_tile<BLOCK_N>(kv_tile, head.v, block * BLOCK_N, keys);
    if (block >= range.unmasked) mask(s, first_query, block * BLOCK_N, queries, keys);
    exponentiate(s, m, l, rescale, scale_log2);
    scale_rows(o, rescale);
    store_weights(p_tile, s);
    __syncthreads();
    multiply_values(o, p_tile, kv_tile);
  }
  store_output(o, m, l, out + head.first_row * D, lse + head.first_row, first_query, queries, scale);
}

// ---- The same loop on the tensor cores. Tiles keep their 16-bit elements and are swizzled for ldmatrix. The weights
// stay in registers.

extern "C" __global__ void __launch_bounds__(THREADS)
    flash_mma(const Element* q, const Element* k, const Element* v, Element* out, float* lse, int group, int queries,
              int keys, float scale) {
  extern __shared__ __align__(1024) char shared[];
  char *q_tile = shared, *kv_tile = q_tile + Q_BYTES;  // BLOCK_M × D, BLOCK_N × D
  const Head head(q, k, v, blockIdx.z * gridDim.y + blockIdx.y, group, queries, keys);
  const int first_query = first_query_of_cta();
  const KeyBlocks range(first_query, queries, keys);
  const float scale_log2 = scale * LOG2_E;
  load_tile<BLOCK_M>(q_tile, head.q, first_query, queries);

  Output o = {};
  Rows m, l = {}, rescale;
  for (auto& tile : m) tile[0] = tile[1] = LOWEST;
  const QueryFragments<false> q_frags(shared_address(q_tile));
#pragma unroll 1
  for (int block = 0; block < range.blocks; ++block) {
    __syncthreads();  // V of the previous block has been read
    load_tile<BLOCK_N>(kv_tile, head.k, block * BLOCK_N, keys);
    __syncthreads();
    Scores s;
    multiply_keys(s, q_frags, shared_address(kv_tile));
    __syncthreads();  // K has been read
    load_tile<BLOCK_N>(kv_tile, head.v, block * BLOCK_N, keys);
    if (block >= range.unmasked) mask(s, first_query, block * BLOCK_N, queries, keys);
    exponentiate(s, m, l, rescale, scale_log2);
    scale_rows(o, rescale);
    __syncthreads();
    multiply_values(o, s, shared_address(kv_tile));
  }
  __syncthreads();  // a CTA that sees no key has not waited for Q yet, which O overwrites
  store_output(o, m, l, q_tile, out + head.first_row * D, lse + head.first_row, first_query, queries, scale);
}

// ---- Stages: K and V of a block arrive by asynchronous copies while the warps multiply the blocks before it.

constexpr int STAGE_BYTES = 2 * KV_BYTES;  // K, then V: BLOCK_N × D each

/// Starts the copies of one block into a stage.
struct BlockCopy {
  TileCopy<THREADS> k, v;
  int keys;
  __device__ BlockCopy(const Head& head, int keys) : k(head.k), v(head.v), keys(keys) {}
  __device__ void start(unsigned stage, int block) const {
    k.copy<BLOCK_N>(stage, block * BLOCK_N, keys);
    v.copy<BLOCK_N>(stage + KV_BYTES, block * BLOCK_N, keys);
  }
};
/// The stages from `first` to `end` are a ring.
__device__ inline unsigned next_stage(unsigned stage, unsigned first, unsigned end) {
  return stage + STAGE_BYTES == end ? first : stage + STAGE_BYTES;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    flash_stages(const Element* q, const Element* k, const Element* v, Element* out, float* lse, int group, int queries,
                 int keys, float scale) {
  extern __shared__ __align__(1024) char shared[];
  const unsigned q_tile = shared_address(shared);                                        // BLOCK_M × D
  const unsigned stages = q_tile + Q_BYTES, stages_end = stages + STAGES * STAGE_BYTES;  // K and V in each
  const Head head(q, k, v, blockIdx.z * gridDim.y + blockIdx.y, group, queries, keys);
  const int first_query = first_query_of_cta();
  const KeyBlocks range(first_query, queries, keys);
  const float scale_log2 = scale * LOG2_E;
  const BlockCopy copy(head, keys);
  TileCopy<THREADS>(head.q).copy<BLOCK_M>(q_tile, first_query, queries);
#pragma unroll
  for (int i = 0; i < STAGES - 1; ++i) {
    if (i < range.blocks) copy.start(stages + i * STAGE_BYTES, i);
    cp_async_commit_group();  // the first group holds Q as well
  }

  Output o = {};
  Rows m, l = {}, rescale;
  for (auto& tile : m) tile[0] = tile[1] = LOWEST;
  const QueryFragments<false> q_frags(q_tile);
  unsigned read_stage = stages, write_stage = stages + (STAGES - 1) * STAGE_BYTES;
#pragma unroll 1
  for (int block = 0; block < range.blocks; ++block) {
    cp_async_wait_group<STAGES - 2>();
    __syncthreads();  // the block has arrived, and the stage of the block before it has been read
    if (block + STAGES - 1 < range.blocks) copy.start(write_stage, block + STAGES - 1);
    cp_async_commit_group();
    Scores s;
    multiply_keys(s, q_frags, read_stage);
    if (block >= range.unmasked) mask(s, first_query, block * BLOCK_N, queries, keys);
    exponentiate(s, m, l, rescale, scale_log2);
    scale_rows(o, rescale);
    multiply_values(o, s, read_stage + KV_BYTES);
    read_stage = next_stage(read_stage, stages, stages_end);
    write_stage = next_stage(write_stage, stages, stages_end);
  }
  // A CTA that sees no key has not waited for Q yet, which O overwrites.
  cp_async_wait_group<0>();
  __syncthreads();
  store_output(o, m, l, shared, out + head.first_row * D, lse + head.first_row, first_query, queries, scale);
}

// ---- Q in registers: its fragments are the same for all blocks, so a warp reads them once.

/// O, the scores and Q all fit in a thread's registers, with room for addresses.
constexpr bool Q_IN_REGISTERS = TILES * (D / 2 + BLOCK_N / 2 + D / 4) <= 176;

template <>
struct QueryFragments<true> {
  unsigned frag[D / 16][TILES][4];  // a lane's share of WARP_ROWS × D
  __device__ explicit QueryFragments(unsigned q_tile) {
    const QueryFragments<false> tile(q_tile);
#pragma unroll
    for (int d = 0; d < D / 16; ++d) tile.get(frag[d], d);
  }
  __device__ void get(unsigned (&q_frag)[TILES][4], int d) const {
#pragma unroll
    for (int i = 0; i < TILES * 4; ++i) q_frag[i / 4][i % 4] = frag[d][i / 4][i % 4];
  }
};

extern "C" __global__ void __launch_bounds__(THREADS)
    flash_q_registers(const Element* q, const Element* k, const Element* v, Element* out, float* lse, int group,
                      int queries, int keys, float scale) {
  extern __shared__ __align__(1024) char shared[];
  const unsigned q_tile = shared_address(shared);                                        // BLOCK_M × D
  const unsigned stages = q_tile + Q_BYTES, stages_end = stages + STAGES * STAGE_BYTES;  // K and V in each
  const Head head(q, k, v, blockIdx.z * gridDim.y + blockIdx.y, group, queries, keys);
  const int first_query = first_query_of_cta();
  const KeyBlocks range(first_query, queries, keys);
  const float scale_log2 = scale * LOG2_E;
  const BlockCopy copy(head, keys);
  TileCopy<THREADS>(head.q).copy<BLOCK_M>(q_tile, first_query, queries);
#pragma unroll
  for (int i = 0; i < STAGES - 1; ++i) {
    if (i < range.blocks) copy.start(stages + i * STAGE_BYTES, i);
    cp_async_commit_group();  // the first group holds Q as well
  }

  Output o = {};
  Rows m, l = {}, rescale;
  for (auto& tile : m) tile[0] = tile[1] = LOWEST;
  cp_async_wait_group<STAGES - 2>();
  __syncthreads();  // Q has arrived
  const QueryFragments<Q_IN_REGISTERS> q_frags(q_tile);
  unsigned read_stage = stages, write_stage = stages + (STAGES - 1) * STAGE_BYTES;
#pragma unroll 1
  for (int block = 0; block < range.blocks; ++block) {
    cp_async_wait_group<STAGES - 2>();
    __syncthreads();  // the block has arrived, and the stage of the block before it has been read
    if (block + STAGES - 1 < range.blocks) copy.start(write_stage, block + STAGES - 1);
    cp_async_commit_group();
    Scores s;
    multiply_keys(s, q_frags, read_stage);
    if (block >= range.unmasked) mask(s, first_query, block * BLOCK_N, queries, keys);
    exponentiate(s, m, l, rescale, scale_log2);
    scale_rows(o, rescale);
    multiply_values(o, s, read_stage + KV_BYTES);
    read_stage = next_stage(read_stage, stages, stages_end);
    write_stage = next_stage(write_stage, stages, stages_end);
  }
  // A CTA that sees no key has not waited for Q yet, which O overwrites.
  cp_async_wait_group<0>();
  __syncthreads();
  store_output(o, m, l, shared, out + head.first_row * D, lse + head.first_row, first_query, queries, scale);
}

// ---- Rescaling only when a maximum has risen. After the first few blocks that is rare: all factors are 1.

extern "C" __global__ void __launch_bounds__(THREADS)
    flash_lazy_rescale(const Element* q, const Element* k, const Element* v, Element* out, float* lse, int group,
                       int queries, int keys, float scale) {
  extern __shared__ __align__(1024) char shared[];
  const unsigned q_tile = shared_address(shared);                                        // BLOCK_M × D
  const unsigned stages = q_tile + Q_BYTES, stages_end = stages + STAGES * STAGE_BYTES;  // K and V in each
  const Head head(q, k, v, blockIdx.z * gridDim.y + blockIdx.y, group, queries, keys);
  const int first_query = first_query_of_cta();
  const KeyBlocks range(first_query, queries, keys);
  const float scale_log2 = scale * LOG2_E;
  const BlockCopy copy(head, keys);
  TileCopy<THREADS>(head.q).copy<BLOCK_M>(q_tile, first_query, queries);
#pragma unroll
  for (int i = 0; i < STAGES - 1; ++i) {
    if (i < range.blocks) copy.start(stages + i * STAGE_BYTES, i);
    cp_async_commit_group();  // the first group holds Q as well
  }

  Output o = {};
  Rows m, l = {}, rescale;
  for (auto& tile : m) tile[0] = tile[1] = LOWEST;
  cp_async_wait_group<STAGES - 2>();
  __syncthreads();  // Q has arrived
  const QueryFragments<Q_IN_REGISTERS> q_frags(q_tile);
  unsigned read_stage = stages, write_stage = stages + (STAGES - 1) * STAGE_BYTES;
#pragma unroll 1
  for (int block = 0; block < range.blocks; ++block) {
    cp_async_wait_group<STAGES - 2>();
    __syncthreads();  // the block has arrived, and the stage of the block before it has been read
    if (block + STAGES - 1 < range.blocks) copy.start(write_stage, block + STAGES - 1);
    cp_async_commit_group();
    Scores s;
    multiply_keys(s, q_frags, read_stage);
    if (block >= range.unmasked) mask(s, first_query, block * BLOCK_N, queries, keys);
    const bool risen = exponentiate(s, m, l, rescale, scale_log2);
    if (__any_sync(0xffffffff, risen)) scale_rows(o, rescale);
    multiply_values(o, s, read_stage + KV_BYTES);
    read_stage = next_stage(read_stage, stages, stages_end);
    write_stage = next_stage(write_stage, stages, stages_end);
  }
  // A CTA that sees no key has not waited for Q yet, which O overwrites.
  cp_async_wait_group<0>();
  __syncthreads();
  store_output(o, m, l, shared, out + head.first_row * D, lse + head.first_row, first_query, queries, scale);
}
