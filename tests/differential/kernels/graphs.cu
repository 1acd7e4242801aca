// Graphs and dynamic programming.

#define INF 0x3fffffff

// One level of breadth-first search from a frontier queue.
extern "C" __global__ void bfs_frontier(const int* row_offsets, const int* neighbours, const int* frontier,
                                        const int* frontier_size, int* next, int* next_size, int* depth, int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= *frontier_size) return;
  int v = frontier[i];
  for (int e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
    int u = neighbours[e];
    if (atomicCAS(&depth[u], -1, level) == -1) next[atomicAdd(next_size, 1)] = u;
  }
}

// The same, level-synchronous in one block: the queue grows behind the frontier.
extern "C" __global__ void bfs_block(const int* row_offsets, const int* neighbours, int* queue, int* depth, int source) {
  __shared__ int begin, end, tail;
  if (threadIdx.x == 0) {
    begin = 0;
    end = tail = 1;
    queue[0] = source;
    depth[source] = 0;
  }
  __syncthreads();
  int level = 1;
  while (begin < end) {
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) {
      int v = queue[i];
      for (int e = row_offsets[v]; e < row_offsets[v + 1]; ++e)
        if (atomicCAS(&depth[neighbours[e]], -1, level) == -1) queue[atomicAdd(&tail, 1)] = neighbours[e];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      begin = end;
      end = tail;
    }
    ++level;
    __syncthreads();
  }
}

extern "C" __global__ void bellman_ford(const int* from, const int* to, const int* weight, int edges, int* distance,
                                        int* changed) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int d = atomicAdd(&distance[from[e]], 0);
  if (d == INF) return;
  if (d + weight[e] < atomicMin(&distance[to[e]], d + weight[e])) *changed = 1;
}

extern "C" __global__ void floyd_warshall_step(int* d, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n || i == k || j == k) return;
  int through = d[i * n + k] + d[k * n + j];
  if (through < d[i * n + j]) d[i * n + j] = through;
}

// Connected components: hooks roots to smaller ones with compare-and-swap.
__device__ int find_root(int* parent, int v) {
  int p = atomicAdd(&parent[v], 0);
  while (p != v) {
    v = p;
    p = atomicAdd(&parent[v], 0);
  }
  return v;
}
extern "C" __global__ void union_find(const int* from, const int* to, int edges, int* parent) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int a = find_root(parent, from[e]), b = find_root(parent, to[e]);
  while (a != b) {
    if (a < b) {
      int t = a;
      a = b;
      b = t;
    }
    int seen = atomicCAS(&parent[a], a, b);
    if (seen == a) break;
    a = find_root(parent, seen);
    b = find_root(parent, b);
  }
}
extern "C" __global__ void flatten(int* parent, int* label, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = v;
  while (parent[r] != r) r = parent[r];
  label[v] = r;
}

extern "C" __global__ void page_rank(const int* in_offsets, const int* in_from, const int* out_degree,
                                     const double* rank, double* next, int n, double damping) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  double sum = 0;
  for (int e = in_offsets[v]; e < in_offsets[v + 1]; ++e) sum += rank[in_from[e]] / out_degree[in_from[e]];
  next[v] = (1 - damping) / n + damping * sum;
}

// Triangles: sorted neighbour lists are intersected, a warp for each vertex.
extern "C" __global__ void count_triangles(const int* offsets, const int* neighbours, int n, unsigned long long* total) {
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (v >= n) return;
  unsigned count = 0;
  for (int e = offsets[v] + (threadIdx.x & 31); e < offsets[v + 1]; e += 32) {
    int u = neighbours[e];
    if (u <= v) continue;
    int i = offsets[v], j = offsets[u], iend = offsets[v + 1], jend = offsets[u + 1];
    while (i < iend && j < jend) {
      int a = neighbours[i], b = neighbours[j];
      if (a == b) {
        count += a > u;
        ++i;
        ++j;
      } else if (a < b) {
        ++i;
      } else {
        ++j;
      }
    }
  }
  __syncwarp();
  count = __reduce_add_sync(0xffffffff, count);
  if ((threadIdx.x & 31) == 0 && count) atomicAdd(total, (unsigned long long)count);
}

// Smith-Waterman by anti-diagonals in one block; three diagonals in shared memory.
extern "C" __global__ void smith_waterman(const char* a, const char* b, int la, int lb, int* best) {
  extern __shared__ int diagonals[];
  int* before = diagonals;
  int* last = before + la + 1;
  int* now = last + la + 1;
  __shared__ int top;
  if (threadIdx.x == 0) top = 0;
  for (int i = threadIdx.x; i <= la; i += blockDim.x) before[i] = last[i] = now[i] = 0;
  __syncthreads();
  for (int d = 2; d <= la + lb; ++d) {
    int low = max(1, d - lb), high = min(la, d - 1);
    for (int i = low + threadIdx.x; i <= high; i += blockDim.x) {
      int j = d - i;
      int score = a[i - 1] == b[j - 1] ? 3 : -2;
      int h = max(0, before[i - 1] + score);
      h = max(h, max(last[i - 1], last[i]) - 1);
      now[i] = h;
      if (h > 0) atomicMax(&top, h);
    }
    __syncthreads();
    // Cells off the matrix count as zero on the diagonals to come.
    if (threadIdx.x == 0) {
      if (low - 1 >= 0) now[low - 1] = 0;
      if (high + 1 <= la) now[high + 1] = 0;
    }
    __syncthreads();
    int* t = before;
    before = last;
    last = now;
    now = t;
  }
  if (threadIdx.x == 0) *best = top;
}

// Longest common subsequence, rows in global memory, one anti-diagonal for each launch.
extern "C" __global__ void lcs_diagonal(const unsigned char* a, const unsigned char* b, unsigned short* table, int la,
                                        int lb, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + max(1, d - lb);
  int j = d - i;
  if (i > la || j < 1) return;
  const int w = lb + 1;
  unsigned short up = table[(i - 1) * w + j], left = table[i * w + j - 1];
  table[i * w + j] = a[i - 1] == b[j - 1] ? table[(i - 1) * w + j - 1] + 1 : (up > left ? up : left);
}

// Edit distances from one word to many, one thread each, two rows in local memory.
#define LONGEST 32
extern "C" __global__ void levenshtein(const char* word, int length, const char* others, const int* lengths, int n,
                                       int* distance) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const char* other = others + t * LONGEST;
  unsigned char row[LONGEST + 1];
  const int lb = lengths[t];
  for (int j = 0; j <= lb; ++j) row[j] = j;
  for (int i = 1; i <= length; ++i) {
    unsigned char diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= lb; ++j) {
      unsigned char above = row[j];
      int cost = diagonal + (word[i - 1] != other[j - 1]);
      if (above + 1 < cost) cost = above + 1;
      if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
      row[j] = cost;
      diagonal = above;
    }
  }
  distance[t] = row[lb];
}

// 0/1 knapsack: one item for each round, two rows in shared memory.
extern "C" __global__ void knapsack(const int* weights, const int* values, int items, int capacity, int* best) {
  extern __shared__ int rows[];
  int* row = rows;
  int* next = rows + capacity + 1;
  for (int c = threadIdx.x; c <= capacity; c += blockDim.x) row[c] = 0;
  __syncthreads();
  for (int i = 0; i < items; ++i) {
    int w = weights[i], v = values[i];
    for (int c = threadIdx.x; c <= capacity; c += blockDim.x) {
      int without = row[c];
      next[c] = c >= w ? max(without, row[c - w] + v) : without;
    }
    __syncthreads();
    int* t = row; row = next; next = t;
  }
  for (int c = threadIdx.x; c <= capacity; c += blockDim.x) best[c] = row[c];
}

// k-means: assignment, with sums for the new centres.
extern "C" __global__ void k_means(const int2* points, int n, const int2* centres, int k, int* assignment, int* sums) {
  extern __shared__ int local_sums[];  // x, y, count of each centre
  for (int i = threadIdx.x; i < 3 * k; i += blockDim.x) local_sums[i] = 0;
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
    int2 at = points[p];
    int best = 0, best_distance = INF;
    for (int c = 0; c < k; ++c) {
      int dx = at.x - centres[c].x, dy = at.y - centres[c].y;
      int d = dx * dx + dy * dy;
      if (d < best_distance) {
        best_distance = d;
        best = c;
      }
    }
    assignment[p] = best;
    atomicAdd(&local_sums[3 * best], at.x);
    atomicAdd(&local_sums[3 * best + 1], at.y);
    atomicAdd(&local_sums[3 * best + 2], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 3 * k; i += blockDim.x)
    if (local_sums[i] != 0) atomicAdd(sums + i, local_sums[i]);
}

// k nearest neighbours of each query, kept in a small sorted array of registers.
template <int K>
__device__ void nearest(const short* data, int n, int dims, const short* query, int* out) {
  int distance[K], index[K];
  for (int i = 0; i < K; ++i) {
    distance[i] = INF;
    index[i] = -1;
  }
  for (int p = 0; p < n; ++p) {
    int d = 0;
    for (int x = 0; x < dims; ++x) {
      int diff = data[p * dims + x] - query[x];
      d += diff * diff;
    }
    if (d >= distance[K - 1]) continue;
    int at = K - 1;
#pragma unroll
    for (int i = K - 1; i > 0; --i) {
      if (d < distance[i - 1]) {
        distance[i] = distance[i - 1];
        index[i] = index[i - 1];
        at = i - 1;
      }
    }
#pragma unroll
    for (int i = 0; i < K; ++i)
      if (i == at) {
        distance[i] = d;
        index[i] = p;
      }
  }
  for (int i = 0; i < K; ++i) out[i] = index[i];
}
extern "C" __global__ void nearest_4(const short* data, int n, int dims, const short* queries, int count, int* out) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q < count) nearest<4>(data, n, dims, queries + q * dims, out + q * 4);
}
