// C = A · B on the tensor cores: A is M × K, B is K × N, C is M × N, all row-major, of any size.
// One kernel, compiled once for each configuration. The constants below change how fast it is, never what it computes.
//
// BM BN     tile of C of a CTA               BK        extent along K of the k-tiles in shared memory
// WARPS     warps that share the tile        STAGES    k-tiles in shared memory: all but one are in flight
// DTYPE     0: half, 1: bfloat16             GROUP_M   tile rows in a group (tile_order.cuh)
//
// What bounds them:
//   registers       a lane holds BM · BN / (32 · WARPS) accumulators
//   shared memory   a CTA holds STAGES · (BM + BN) · BK elements
//   divisibility    each pass of a copy moves whole rows of a k-tile, 16 bytes per thread
#include "matmul_tiles.cuh"

template <bool ALIGNED>
__device__ void multiply_matrices(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  const int2 tile = tile_at(blockIdx.x, m, n, GROUP_M);
  Pipeline<ALIGNED> pipeline(a, b, m, n, k, tile);
  const FragmentLoader fragments;
  Accumulators acc = {};
  pipeline.start();
  multiply_ahead(acc, pipeline, fragments);
  store_tile<ALIGNED>(acc, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  multiply_matrices<true>(a, b, c, m, n, k);
}
// For rows that do not begin on 16 bytes. The host chooses once per launch.
extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  multiply_matrices<false>(a, b, c, m, n, k);
}
