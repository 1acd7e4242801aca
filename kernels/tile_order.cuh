// In which order CTAs take the tiles of a matrix.
#pragma once

// The row and column of tile `index`, in tiles, if tiles_m × tiles_n tiles are taken in groups of GROUP_ROWS rows: one
// group after the other, and within a group column by column. GROUP_ROWS 1 is row-major order.
//
//   4 × 3 tiles, GROUP_ROWS 2:    0  2  4
//                                 1  3  5
//                                 6  8 10
//                                 7  9 11
template <int GROUP_ROWS>
__device__ inline int2 grouped_tile(unsigned index, int tiles_m, int tiles_n) {
  const int group = index / (GROUP_ROWS * tiles_n), in_group = index % (GROUP_ROWS * tiles_n);
  const int rows = min(int{GROUP_ROWS}, tiles_m - group * GROUP_ROWS);  // the last group may have fewer
  return make_int2(group * GROUP_ROWS + in_group % rows, in_group / rows);
}
