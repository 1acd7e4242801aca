# The height is right, but the column is still computed with GROUP.
# C = A · B, where A is m × k, B is k × n and C is m × n, all row-major.
# A program computes a tile of BM × BN elements of C. The programs take the tiles in groups of GROUP tile rows, column
# by column within a group, so that programs which run at the same time share rows of A and columns of B:
#
#   0 4  8 12
#   1 5  9 13        GROUP = 4
#   2 6 10 14
#   3 7 11 15
import triton
import triton.language as tl


# Launch: grouped_matmul[ceil(m / BM) * ceil(n / BN)](a, b, c, m, n, k, BM=16, BN=16, BK=16, GROUP=4, num_warps=1)
@triton.jit
def grouped_matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    index = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group, in_group = index // (GROUP * tiles_n), index % (GROUP * tiles_n)
    height = min(GROUP, tiles_m - group * GROUP)  # tile rows of this group
    tile_row, tile_column = group * GROUP + in_group % height, in_group // GROUP

    row = tile_row * BM + tl.arange(0, BM)[:, None]  # (BM, 1)
    column = tile_column * BN + tl.arange(0, BN)[None, :]  # (1, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, k, BK):
        across, down = first + tl.arange(0, BK)[None, :], first + tl.arange(0, BK)[:, None]
        a_tile = tl.load(a + row * k + across, mask=(row < m) & (across < k), other=0.0)  # (BM, BK)
        b_tile = tl.load(b + down * n + column, mask=(down < k) & (column < n), other=0.0)  # (BK, BN)
        total = tl.dot(a_tile, b_tile, total, input_precision="ieee")  # in fp32, not in tf32
    tl.store(c + row * n + column, total, mask=(row < m) & (column < n))
