// Prefix sums.

extern "C" __global__ void scan_hillis_steele(const int* in, int* out, int n) {
  extern __shared__ int temp[];  // two buffers of n
  int t = threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout * n + t] = (t > 0) ? in[t - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (t >= offset)
      temp[pout * n + t] = temp[pin * n + t] + temp[pin * n + t - offset];
    else
      temp[pout * n + t] = temp[pin * n + t];
    __syncthreads();
  }
  out[t] = temp[pout * n + t];
}

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

extern "C" __global__ void scan_blelloch(const int* g_idata, int* g_odata, int n) {
  extern __shared__ int temp[];
  int thid = threadIdx.x;
  int offset = 1;
  int ai = thid, bi = thid + (n / 2);
  int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bankOffsetA] = g_idata[ai];
  temp[bi + bankOffsetB] = g_idata[bi];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1;
      int b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (thid == 0) temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1;
      int b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      int t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  g_odata[ai] = temp[ai + bankOffsetA];
  g_odata[bi] = temp[bi + bankOffsetB];
}

__device__ __forceinline__ int warp_inclusive_scan(int x) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffffu, x, d);
    if ((threadIdx.x & 31) >= d) x += y;
  }
  return x;
}

// Whole warps; each block leaves its total.
extern "C" __global__ void scan_block(const int* __restrict__ in, int* __restrict__ out, int* totals, int n) {
  __shared__ int warp_sums[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int x = warp_inclusive_scan(i < n ? in[i] : 0);
  if (lane == 31) warp_sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    int s = lane < (blockDim.x >> 5) ? warp_sums[lane] : 0;
    s = warp_inclusive_scan(s);
    warp_sums[lane] = s;
  }
  __syncthreads();
  if (warp > 0) x += warp_sums[warp - 1];
  if (i < n) out[i] = x;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = x;
}

extern "C" __global__ void add_block_offsets(int* data, const int* scanned_totals, int n) {
  if (blockIdx.x == 0) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += scanned_totals[blockIdx.x - 1];
}

// Decoupled look-back (Merrill and Garland): one pass; a block adds what its predecessors have published.
// state: 0 nothing yet, 1 own total, 2 all up to here; state and value are one 64-bit word.
extern "C" __global__ void scan_look_back(const unsigned int* in, unsigned int* out, int n,
                                          unsigned long long* descriptors, unsigned int* ticket) {
  __shared__ unsigned int tile, exclusive;
  __shared__ unsigned int warp_sums[32];
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const int i = tile * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned int x = warp_inclusive_scan(i < n ? in[i] : 0);
  if (lane == 31) warp_sums[warp] = x;
  __syncthreads();
  unsigned int before = 0, total = 0;
  for (int w = 0; w < (blockDim.x >> 5); ++w) {
    if (w == warp) before = total;
    total += warp_sums[w];
  }
  x += before;
  if (threadIdx.x == 0) {
    if (tile == 0) {
      atomicExch(&descriptors[0], (2ull << 32) | total);
      exclusive = 0;
    } else {
      atomicExch(&descriptors[tile], (1ull << 32) | total);
      unsigned int sum = 0;
      int look = (int)tile - 1;
      while (true) {
        unsigned long long d = atomicAdd(&descriptors[look], 0ull);
        unsigned int state = d >> 32;
        if (state == 0) continue;
        sum += (unsigned int)d;
        if (state == 2) break;
        --look;
      }
      atomicExch(&descriptors[tile], (2ull << 32) | (sum + total));
      exclusive = sum;
    }
  }
  __syncthreads();
  if (i < n) out[i] = x + exclusive;
}

struct Flagged {
  int value;
  int flag;
};

// Inclusive sum that begins anew at each flag; one warp for each row.
extern "C" __global__ void segmented_scan_warp(const int* values, const unsigned char* heads, int* out, int rows,
                                               int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  int lane = threadIdx.x;
  int carry = 0;
  for (int base = 0; base < cols; base += 32) {
    int c = base + lane;
    Flagged x = c < cols ? Flagged{values[row * cols + c], heads[row * cols + c]} : Flagged{0, 0};
    for (int d = 1; d < 32; d *= 2) {
      int v = __shfl_up_sync(0xffffffff, x.value, d);
      int f = __shfl_up_sync(0xffffffff, x.flag, d);
      if (lane >= d) {
        if (!x.flag) x.value += v;
        x.flag |= f;
      }
    }
    if (!x.flag) x.value += carry;
    if (c < cols) out[row * cols + c] = x.value;
    carry = __shfl_sync(0xffffffff, x.value, 31);
  }
}

// Keeps what is positive, in any order within the output of its block's turn.
extern "C" __global__ void compact_positive(const int* in, int n, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && in[i] > 0;
  unsigned int ballot = __ballot_sync(0xffffffff, keep);
  int lane = threadIdx.x & 31;
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(ballot));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keep) out[base + __popc(ballot & ((1u << lane) - 1))] = in[i];
}

// The same, in order: a block counts, scans and scatters what it has.
extern "C" __global__ void compact_stable(const float* in, int n, float threshold, float* out, int* kept) {
  __shared__ int offsets[257];
  int t = threadIdx.x;
  int filled = 0;
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + t;
    int flag = (i < n) && (in[i] >= threshold);
    offsets[t + 1] = flag;
    if (t == 0) offsets[0] = 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
      int add = (t + 1 > d) ? offsets[t + 1 - d] : 0;
      __syncthreads();
      offsets[t + 1] += add;
      __syncthreads();
    }
    if (flag) out[filled + offsets[t]] = in[i];
    filled += offsets[blockDim.x];
    __syncthreads();
  }
  if (t == 0) *kept = filled;
}
