// In which order CTAs take the tiles of a matrix.
#pragma once

/// The row and column of a tile, if tiles_m × tiles_n tiles are taken in groups of `group` rows: one group after the
/// other, and column by column within a group. CTAs that run at the same time then share few rows of A and few columns
/// of B. With group 1 the order is row-major.
///
///   4 × 3 tiles, group 2:    0  2  4
///                            1  3  5
///                            6  8 10
///                            7  9 11
__device__ inline int2 grouped_tile(unsigned index, int tiles_m, int tiles_n, int group) {
  const int first_row = index / (group * tiles_n) * group, in_group = index % (group * tiles_n);
  const int rows = min(group, tiles_m - first_row);  // the last group may have fewer
  return make_int2(first_row + in_group % rows, in_group / rows);
}
