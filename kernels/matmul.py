# C = A · B in Triton: A is M × K, B is K × N, C is M × N. The strides say how each lies in memory, so that one kernel
# takes row-major and column-major matrices of any size.
# A program computes one tile of C. The kernels differ in which tile a program takes.
import triton
import triton.language as tl


# One tile of C. The compiler makes a pipeline of num_stages stages of the loop: cp.async copies later k-tiles into
# shared memory, which it swizzles, while the tensor cores multiply one. Floats are multiplied as TF32, unless
# input_precision says otherwise.
@triton.jit
def multiply_tile(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, tile_m, tile_n,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    first_row, first_column = tile_m * BM, tile_n * BN
    row, column, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)  # in the tile
    # A matrix may have more elements than an int counts; a tile spans fewer.
    a += first_row.to(tl.int64) * stride_am
    b += first_column.to(tl.int64) * stride_bn
    c += first_row.to(tl.int64) * stride_cm + first_column.to(tl.int64) * stride_cn
    a_tile = a + row[:, None] * stride_am + k[None, :] * stride_ak  # (BM, BK)
    b_tile = b + k[:, None] * stride_bk + column[None, :] * stride_bn  # (BK, BN)
    row_inside = first_row + row[:, None] < M  # (BM, 1)
    column_inside = first_column + column[None, :] < N  # (1, BN)

    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        # What lies outside of the matrices becomes zero, which adds nothing.
        x = tl.load(a_tile, mask=row_inside & (k[None, :] < K - start), other=0.0)  # (BM, BK)
        y = tl.load(b_tile, mask=(k[:, None] < K - start) & column_inside, other=0.0)  # (BK, BN)
        acc = tl.dot(x, y, acc)
        a_tile += BK * stride_ak
        b_tile += BK * stride_bk

    c_tile = c + row[:, None] * stride_cm + column[None, :] * stride_cn  # (BM, BN)
    tl.store(c_tile, acc.to(c.dtype.element_ty), mask=row_inside & column_inside)


# Programs take the tiles of C row after row.
@triton.jit
def matmul_row_major(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                     BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(axis=0)
    tiles_n = tl.cdiv(N, BN)
    multiply_tile(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  pid // tiles_n, pid % tiles_n, BM, BN, BK)


# Programs take the tiles in groups of GROUP_M rows, column by column within a group: those that run at the same time
# share few rows of A and few columns of B.
@triton.jit
def matmul_grouped(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr):
    pid = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first_m = pid // (GROUP_M * tiles_n) * GROUP_M  # first tile row of the group
    in_group = pid % (GROUP_M * tiles_n)
    rows = min(tiles_m - first_m, GROUP_M)  # the last group may have fewer
    multiply_tile(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  first_m + in_group % rows, in_group // rows, BM, BN, BK)
