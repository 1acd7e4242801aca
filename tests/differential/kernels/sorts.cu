// Sorting.

__device__ __forceinline__ void comparator(unsigned int& keyA, unsigned int& valA, unsigned int& keyB,
                                           unsigned int& valB, unsigned int dir) {
  if ((keyA > keyB) == dir) {
    unsigned int t = keyA; keyA = keyB; keyB = t;
    t = valA; valA = valB; valB = t;
  }
}

// One block, 2 * blockDim.x elements, a power of two.
extern "C" __global__ void bitonic_shared(unsigned int* keys, unsigned int* values, unsigned int length,
                                          unsigned int dir) {
  extern __shared__ unsigned int s[];
  unsigned int* s_key = s;
  unsigned int* s_val = s + length;
  for (unsigned int i = threadIdx.x; i < length; i += blockDim.x) {
    s_key[i] = keys[blockIdx.x * length + i];
    s_val[i] = values[blockIdx.x * length + i];
  }
  for (unsigned int size = 2; size <= length; size <<= 1) {
    unsigned int ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
    for (unsigned int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      unsigned int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], size == length ? dir : ddd);
    }
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < length; i += blockDim.x) {
    keys[blockIdx.x * length + i] = s_key[i];
    values[blockIdx.x * length + i] = s_val[i];
  }
}

// One step of a bitonic sort in global memory.
extern "C" __global__ void bitonic_step(float* dev_values, int j, int k, int n) {
  unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
  unsigned int ixj = i ^ j;
  if (i >= n || ixj <= i) return;
  float a = dev_values[i], b = dev_values[ixj];
  bool ascending = (i & k) == 0;
  if (ascending ? a > b : a < b) {
    dev_values[i] = b;
    dev_values[ixj] = a;
  }
}

extern "C" __global__ void odd_even_transposition(int* data, int n) {
  __shared__ int s[1024];
  const int tid = threadIdx.x;
  for (int i = tid; i < n; i += blockDim.x) s[i] = data[i];
  __syncthreads();
  for (int phase = 0; phase < n; ++phase) {
    for (int i = 2 * tid + (phase & 1); i + 1 < n; i += 2 * blockDim.x) {
      if (s[i] > s[i + 1]) {
        int t = s[i];
        s[i] = s[i + 1];
        s[i + 1] = t;
      }
    }
    __syncthreads();
  }
  for (int i = tid; i < n; i += blockDim.x) data[i] = s[i];
}

// One pass over `bits` of the keys by one block: split by each bit, ones after zeros.
extern "C" __global__ void radix_split(unsigned int* data, int n, int bits) {
  extern __shared__ unsigned int keys[];
  __shared__ int zeros_of_warp[33];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = blockDim.x >> 5;
  unsigned int key = t < n ? data[t] : 0xffffffffu;
  for (int bit = 0; bit < bits; ++bit) {
    const bool zero = !((key >> bit) & 1);
    const unsigned int votes = __ballot_sync(0xffffffffu, zero);
    if (lane == 0) zeros_of_warp[warp] = __popc(votes);
    __syncthreads();
    if (t == 0) {
      int sum = 0;
      for (int w = 0; w < warps; ++w) {
        int c = zeros_of_warp[w];
        zeros_of_warp[w] = sum;
        sum += c;
      }
      zeros_of_warp[32] = sum;
    }
    __syncthreads();
    const int zeros_before = zeros_of_warp[warp] + __popc(votes & ((1u << lane) - 1u));
    const int place = zero ? zeros_before : zeros_of_warp[32] + (t - zeros_before);
    keys[place] = key;
    __syncthreads();
    key = keys[t];
    __syncthreads();
  }
  if (t < n) data[t] = key;
}

// A radix sort's first half: how often each digit occurs in each block; digits outermost.
extern "C" __global__ void radix_count(const unsigned int* keys, int n, int shift, unsigned int* counts) {
  __shared__ unsigned int histogram[16];
  if (threadIdx.x < 16) histogram[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&histogram[(keys[i] >> shift) & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

extern "C" __global__ void radix_offsets(unsigned int* counts, int m) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  unsigned int sum = 0;
  for (int i = 0; i < m; ++i) {
    unsigned int c = counts[i];
    counts[i] = sum;
    sum += c;
  }
}

extern "C" __global__ void radix_scatter(const unsigned int* keys, unsigned int* sorted, int n, int shift,
                                         const unsigned int* offsets) {
  __shared__ unsigned int digits[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int key = 0, digit = 16;
  if (i < n) {
    key = keys[i];
    digit = (key >> shift) & 15;
  }
  digits[threadIdx.x] = digit;
  __syncthreads();
  if (i >= n) return;
  unsigned int rank = 0;
  for (int j = 0; j < threadIdx.x; ++j) rank += digits[j] == digit;
  sorted[offsets[digit * gridDim.x + blockIdx.x] + rank] = key;
}

__device__ int lower_bound(const int* a, int n, int x) {
  int low = 0, high = n;
  while (low < high) {
    int mid = (low + high) >> 1;
    if (a[mid] < x) low = mid + 1; else high = mid;
  }
  return low;
}

__device__ int upper_bound(const int* a, int n, int x) {
  int low = 0, high = n;
  while (low < high) {
    int mid = (low + high) >> 1;
    if (!(x < a[mid])) low = mid + 1; else high = mid;
  }
  return low;
}

// Merges neighbouring runs of `width`: each element finds its rank in the other run.
extern "C" __global__ void merge_by_rank(const int* __restrict__ from, int* __restrict__ to, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int pair = i / (2 * width) * (2 * width);
  int middle = min(pair + width, n), end = min(pair + 2 * width, n);
  int x = from[i];
  int place;
  if (i < middle)
    place = i + lower_bound(from + middle, end - middle, x);
  else
    place = pair + (i - middle) + upper_bound(from + pair, middle - pair, x);
  to[place] = x;
}

// Merge path: each thread finds where its share of the output begins, then merges serially.
extern "C" __global__ void merge_path(const int* a, int na, const int* b, int nb, int* out, int per_thread) {
  int diag = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
  if (diag >= na + nb) return;
  int low = max(0, diag - nb), high = min(diag, na);
  while (low < high) {
    int mid = (low + high) / 2;
    if (a[mid] <= b[diag - 1 - mid])
      low = mid + 1;
    else
      high = mid;
  }
  int i = low, j = diag - low;
  for (int k = 0; k < per_thread && diag + k < na + nb; ++k) {
    bool take_a = j >= nb || (i < na && a[i] <= b[j]);
    out[diag + k] = take_a ? a[i++] : b[j++];
  }
}

// Quick sort with an explicit stack, one thread for each row.
extern "C" __global__ void quick_sort_rows(int* data, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int* a = data + row * cols;
  int stack[64];
  int top = -1;
  stack[++top] = 0;
  stack[++top] = cols - 1;
  while (top >= 0) {
    int high = stack[top--];
    int low = stack[top--];
    if (high - low < 8) {  // insertion sort
      for (int i = low + 1; i <= high; ++i) {
        int key = a[i], j = i - 1;
        while (j >= low && a[j] > key) {
          a[j + 1] = a[j];
          --j;
        }
        a[j + 1] = key;
      }
      continue;
    }
    int pivot = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i <= j) {
        int t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    // The longer part waits on the stack: its depth stays logarithmic.
    bool left_longer = j - low > high - i;
    int l1 = left_longer ? low : i, h1 = left_longer ? j : high;
    int l2 = left_longer ? i : low, h2 = left_longer ? high : j;
    if (l1 < h1) { stack[++top] = l1; stack[++top] = h1; }
    if (l2 < h2) { stack[++top] = l2; stack[++top] = h2; }
  }
}

// Counting sort of bytes by one block.
extern "C" __global__ void counting_sort_bytes(const unsigned char* in, unsigned char* out, int n) {
  __shared__ int count[256];
  __shared__ int start[257];
  for (int v = threadIdx.x; v < 256; v += blockDim.x) count[v] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(count + in[i], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    start[0] = 0;
    for (int v = 0; v < 256; ++v) start[v + 1] = start[v] + count[v];
  }
  __syncthreads();
  for (int v = threadIdx.x; v < 256; v += blockDim.x)
    for (int i = start[v]; i < start[v + 1]; ++i) out[i] = (unsigned char)v;
}

// Rank sort: every element counts those before it.
template <typename T>
__device__ void rank_sort_impl(const T* in, T* out, int n) {
  __shared__ T tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  T mine = i < n ? in[i] : T(0);
  int rank = 0;
  for (int base = 0; base < n; base += 64) {
    if (base + threadIdx.x < n) tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    int limit = min(64, n - base);
    for (int j = 0; j < limit; ++j) rank += tile[j] < mine || (tile[j] == mine && base + j < i);
    __syncthreads();
  }
  if (i < n) out[rank] = mine;
}
extern "C" __global__ void __launch_bounds__(64, 4) rank_sort_double(const double* in, double* out, int n) {
  rank_sort_impl(in, out, n);
}
extern "C" __global__ void __launch_bounds__(64, 4) rank_sort_short(const short* in, short* out, int n) {
  rank_sort_impl(in, out, n);
}
