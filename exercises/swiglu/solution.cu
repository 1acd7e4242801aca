// out[r][c] = silu(gate[r][c]) · up[r][c]. A row of x holds `columns` elements of gate, then `columns` of up.
// Neighbouring threads have neighbouring columns, so both loads and the store are coalesced.
//
// Launch: swiglu<<<(ceil(columns / 256), rows), 256>>>(x, out, rows, columns)

// Where exp overflows, x / infinity is -0, which is the rounded result.
__device__ float silu(float x) { return x / (1 + expf(-x)); }

__global__ void swiglu(const float* x, float* out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  long long r = blockIdx.y;  // 64 bits: large matrices have more than 2^31 elements
  if (c < columns) {
    const float* gate = x + r * 2 * columns;
    const float* up = gate + columns;
    out[r * columns + c] = silu(gate[c]) * up[c];
  }
}
