// Tiles are loaded beyond the end of the matrices.
// Launch: flash_attention<<<(ceil(queries / TILE), heads), 256>>>(q, k, v, out, queries, keys, scale)
constexpr int HEAD_DIM = 32, TILE = 32, WARPS = 8, ROWS = TILE / WARPS;
constexpr float LOWEST = -1e30f;  // below every score, and finite: LOWEST − LOWEST is 0, not NaN
static_assert(HEAD_DIM == 32 && TILE == 32, "a lane for each");

// TILE rows of a matrix from row `first` on; zeros beyond `rows`.
template <int PITCH>
__device__ void load_tile(float (&tile)[TILE][PITCH], const float* matrix, int first, int rows) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = warp; i < TILE; i += WARPS) tile[i][lane] = matrix[(first + i) * HEAD_DIM + lane];
}

__global__ void __launch_bounds__(32 * WARPS)
    flash_attention(const float* q, const float* k, const float* v, float* out, int queries, int keys, float scale) {
  __shared__ float q_tile[TILE][HEAD_DIM];
  __shared__ float k_tile[TILE][HEAD_DIM + 1];  // lanes read a column: the padding puts its rows into 32 banks
  __shared__ float v_tile[TILE][HEAD_DIM];
  __shared__ float weights[TILE][TILE];  // (query, key)
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * ROWS;
  const int first_query = blockIdx.x * TILE;
  const long long head = blockIdx.y;
  q += head * queries * HEAD_DIM;
  k += head * keys * HEAD_DIM;
  v += head * keys * HEAD_DIM;
  out += head * queries * HEAD_DIM;

  float m[ROWS], l[ROWS] = {}, o[ROWS] = {};
  for (int i = 0; i < ROWS; ++i) m[i] = LOWEST;
  load_tile(q_tile, q, first_query, queries);
  const int end = min(keys, first_query + TILE + keys - queries);  // the keys that the last query of the tile sees
  for (int first_key = 0; first_key < end; first_key += TILE) {
    __syncthreads();  // all warps have read the last tiles
    load_tile(k_tile, k, first_key, keys);
    load_tile(v_tile, v, first_key, keys);
    __syncthreads();  // the tiles are complete

    float scores[ROWS] = {};
    for (int d = 0; d < HEAD_DIM; ++d)
#pragma unroll
      for (int i = 0; i < ROWS; ++i) scores[i] += q_tile[first_row + i][d] * k_tile[lane][d];
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int visible = keys - queries + first_query + first_row + i + 1;  // keys that this row sees
      const bool sees = first_key + lane < min(keys, visible);
      const float score = sees ? scores[i] * scale : LOWEST;
      float new_m = fmaxf(m[i], score);
      for (int distance = 16; distance > 0; distance /= 2)
        new_m = fmaxf(new_m, __shfl_xor_sync(0xffffffff, new_m, distance));
      const float rescale = expf(m[i] - new_m), weight = sees ? expf(score - new_m) : 0;
      m[i] = new_m;
      l[i] = l[i] * rescale + weight;  // of this lane's keys; lanes are added up at the end
      o[i] *= rescale;
      weights[first_row + i][lane] = weight;
    }
    __syncwarp();  // a warp reads only the weights of its own rows
    for (int key = 0; key < TILE; ++key)
#pragma unroll
      for (int i = 0; i < ROWS; ++i) o[i] += weights[first_row + i][key] * v_tile[key][lane];
  }

  for (int i = 0; i < ROWS; ++i) {
    for (int distance = 16; distance > 0; distance /= 2) l[i] += __shfl_xor_sync(0xffffffff, l[i], distance);
    const int query = first_query + first_row + i;
    if (query < queries) out[query * HEAD_DIM + lane] = l[i] > 0 ? o[i] / l[i] : 0;  // 0: it sees no key
  }
}
