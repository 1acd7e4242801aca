// Stencils, images and what lives on grids.

__constant__ float kGaussian[7] = {0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f};
__constant__ int kSobelX[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};

// 1-D convolution by rows, halo in shared memory.
extern "C" __global__ void convolve_rows(const float* in, float* out, int width, int height) {
  extern __shared__ float line[];
  const int R = 3;
  int y = blockIdx.y;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = threadIdx.x; i < blockDim.x + 2 * R; i += blockDim.x) {
    int sx = blockIdx.x * blockDim.x + i - R;
    line[i] = (sx >= 0 && sx < width) ? in[y * width + sx] : 0.0f;
  }
  __syncthreads();
  if (x >= width) return;
  float sum = 0;
#pragma unroll
  for (int k = -R; k <= R; ++k) sum += line[threadIdx.x + R + k] * kGaussian[k + R];
  out[y * width + x] = sum;
}

// Average over 2R+1 neighbours, clamped.
extern "C" __global__ void stencil_1d(const int* in, int* out, int n, int radius) {
  extern __shared__ int temp[];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + radius;
  int last = n - 1;
  temp[lindex] = in[min(gindex, last)];
  if (threadIdx.x < radius) {
    temp[lindex - radius] = in[max(0, min(gindex - radius, last))];
    temp[lindex + blockDim.x] = in[min(gindex + (int)blockDim.x, last)];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -radius; offset <= radius; offset++) result += temp[lindex + offset];
  if (gindex < n) out[gindex] = result;
}

#define IDX(x, y, z) (((z) * ny + (y)) * nx + (x))

extern "C" __global__ void heat_3d(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz,
                                   float alpha) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float below = 0, here = u[IDX(x, y, 0)];
  for (int z = 0; z < nz; ++z) {
    float above = z + 1 < nz ? u[IDX(x, y, z + 1)] : 0.f;
    float sum = below + above;
    if (x > 0) sum += u[IDX(x - 1, y, z)];
    if (x + 1 < nx) sum += u[IDX(x + 1, y, z)];
    if (y > 0) sum += u[IDX(x, y - 1, z)];
    if (y + 1 < ny) sum += u[IDX(x, y + 1, z)];
    v[IDX(x, y, z)] = here + alpha * (sum - 6.0f * here);
    below = here;
    here = above;
  }
}

extern "C" __global__ void jacobi_2d(const double* u, const double* f, double* next, int n, double h2) {
  __shared__ double s[10][18];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  auto at = [&](int row, int col) { return row >= 0 && row < n && col >= 0 && col < n ? u[row * n + col] : 0.0; };
  s[threadIdx.y + 1][threadIdx.x + 1] = at(r, c);
  if (threadIdx.x == 0) s[threadIdx.y + 1][0] = at(r, c - 1);
  if (threadIdx.x == 15) s[threadIdx.y + 1][17] = at(r, c + 1);
  if (threadIdx.y == 0) s[0][threadIdx.x + 1] = at(r - 1, c);
  if (threadIdx.y == 7) s[9][threadIdx.x + 1] = at(r + 1, c);
  __syncthreads();
  if (r < n && c < n)
    next[r * n + c] = 0.25 * (s[threadIdx.y][threadIdx.x + 1] + s[threadIdx.y + 2][threadIdx.x + 1] +
                              s[threadIdx.y + 1][threadIdx.x] + s[threadIdx.y + 1][threadIdx.x + 2] +
                              h2 * f[r * n + c]);
}

// Conway's game of life on a torus.
extern "C" __global__ void game_of_life(const unsigned char* cells, unsigned char* next, int width, int height) {
  int total = width * height;
  for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < total; cell += blockDim.x * gridDim.x) {
    int x = cell % width, y = cell - x;
    int left = (x + width - 1) % width, right = (x + 1) % width;
    int up = (y + total - width) % total, down = (y + width) % total;
    int alive = cells[left + up] + cells[x + up] + cells[right + up] + cells[left + y] + cells[right + y] +
                cells[left + down] + cells[x + down] + cells[right + down];
    next[x + y] = alive == 3 || (alive == 2 && cells[x + y]) ? 1 : 0;
  }
}

extern "C" __global__ void sobel(const unsigned char* image, unsigned char* edges, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= w || y >= h) return;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    edges[y * w + x] = 0;
    return;
  }
  int gx = 0, gy = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      int p = image[(y + j) * w + x + i];
      gx += p * kSobelX[j + 1][i + 1];
      gy += p * kSobelX[i + 1][j + 1];
    }
  int magnitude = abs(gx) + abs(gy);
  edges[y * w + x] = magnitude > 255 ? 255 : magnitude;
}

#define SWAP_IF(a, b) { if (v[a] > v[b]) { unsigned char t = v[a]; v[a] = v[b]; v[b] = t; } }

// 3x3 median by a sorting network.
extern "C" __global__ void median_3x3(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned char v[9];
  int k = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      int sx = min(max(x + i, 0), w - 1), sy = min(max(y + j, 0), h - 1);
      v[k++] = in[sy * w + sx];
    }
  SWAP_IF(1, 2) SWAP_IF(4, 5) SWAP_IF(7, 8) SWAP_IF(0, 1) SWAP_IF(3, 4) SWAP_IF(6, 7) SWAP_IF(1, 2) SWAP_IF(4, 5)
  SWAP_IF(7, 8) SWAP_IF(0, 3) SWAP_IF(5, 8) SWAP_IF(4, 7) SWAP_IF(3, 6) SWAP_IF(1, 4) SWAP_IF(2, 5) SWAP_IF(4, 7)
  SWAP_IF(4, 2) SWAP_IF(6, 4) SWAP_IF(4, 2)
  out[y * w + x] = v[4];
}

extern "C" __global__ void bilateral(const float* in, float* out, int w, int h, int radius, float inv_space,
                                     float inv_range) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float centre = in[y * w + x], sum = 0, weights = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    int yy = y + dy;
    if (yy < 0 || yy >= h) continue;
    for (int dx = -radius; dx <= radius; ++dx) {
      int xx = x + dx;
      if (xx < 0) continue;
      if (xx >= w) break;
      float d = in[yy * w + xx] - centre;
      float weight = expf(-(dx * dx + dy * dy) * inv_space - d * d * inv_range);
      sum += weight * in[yy * w + xx];
      weights += weight;
    }
  }
  out[y * w + x] = sum / weights;
}

extern "C" __global__ void rgb_to_luma(const uchar4* pixels, unsigned char* luma, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = pixels[i];
  luma[i] = (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8);
}

extern "C" __global__ void histogram_global(const unsigned char* data, int n, unsigned int* bins) {
  int stride = blockDim.x * gridDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) atomicAdd(&bins[data[i]], 1u);
}

// Bytes four at a time; each warp of the block has its own 8-bit-digit histogram.
extern "C" __global__ void histogram_shared(const unsigned int* data, int words, unsigned int* bins) {
  extern __shared__ unsigned int warps_bins[];  // 256 for each warp
  const int warps = (blockDim.x + 31) / 32;
  for (int i = threadIdx.x; i < 256 * warps; i += blockDim.x) warps_bins[i] = 0;
  __syncthreads();
  unsigned int* mine = warps_bins + (threadIdx.x / 32) * 256;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    unsigned int w = data[i];
    atomicAdd(mine + (w & 255), 1);
    atomicAdd(mine + (w >> 8 & 255), 1);
    atomicAdd(mine + (w >> 16 & 255), 1);
    atomicAdd(mine + (w >> 24), 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned int sum = 0;
    for (int w = 0; w < warps; ++w) sum += warps_bins[w * 256 + b];
    if (sum) atomicAdd(&bins[b], sum);
  }
}

// Lanes with the same bin elect one of them.
extern "C" __global__ void histogram_match(const int* data, int n, int* bins, int count) {
  for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
    int i = base + threadIdx.x;
    bool in = i < n;
    unsigned active = __ballot_sync(0xffffffff, in);
    if (in) {
      int bin = data[i] % count;
      unsigned peers = __match_any_sync(active, bin);
      int leader = __ffs(peers) - 1;
      if ((threadIdx.x & 31) == leader) atomicAdd(bins + bin, __popc(peers));
    }
  }
}

// Lattice Boltzmann, two dimensions, nine velocities: collide and stream, periodic.
__constant__ int kEx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int kEy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float kWeight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

extern "C" __global__ void lattice_boltzmann(const float* f, float* g, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int cells = nx * ny;
  float q[9], rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; ++k) {
    q[k] = f[k * cells + y * nx + x];
    rho += q[k];
    ux += q[k] * kEx[k];
    uy += q[k] * kEy[k];
  }
  ux /= rho;
  uy /= rho;
  float usq = 1.5f * (ux * ux + uy * uy);
  for (int k = 0; k < 9; ++k) {
    float eu = 3.0f * (kEx[k] * ux + kEy[k] * uy);
    float eq = kWeight[k] * rho * (1.0f + eu + 0.5f * eu * eu - usq);
    int tx = (x + kEx[k] + nx) % nx, ty = (y + kEy[k] + ny) % ny;
    g[k * cells + ty * nx + tx] = q[k] + omega * (eq - q[k]);
  }
}

extern "C" __global__ void mandelbrot(int* iterations, int width, int height, float x0, float y0, float step,
                                      int most) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cr = __fadd_rn(x0, __fmul_rn(px, step)), ci = __fadd_rn(y0, __fmul_rn(py, step));
  float zr = 0, zi = 0;
  int n = 0;
  for (; n < most; ++n) {
    float rr = __fmul_rn(zr, zr), ii = __fmul_rn(zi, zi);
    if (__fadd_rn(rr, ii) > 4.0f) break;
    zi = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, zr), zi), ci);
    zr = __fadd_rn(__fsub_rn(rr, ii), cr);
  }
  iterations[py * width + px] = n;
}

// Distance of each background cell to the nearest set cell in its row, two sweeps by one thread.
extern "C" __global__ void distance_rows(const unsigned char* mask, unsigned short* distance, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  unsigned short run = 65535;
  for (int x = 0; x < w; ++x) {
    run = mask[y * w + x] ? 0 : (run == 65535 ? 65535 : run + 1);
    distance[y * w + x] = run;
  }
  run = 65535;
  for (int x = w; x-- > 0;) {
    run = mask[y * w + x] ? 0 : (run == 65535 ? 65535 : run + 1);
    if (run < distance[y * w + x]) distance[y * w + x] = run;
  }
}
