"""Matrix multiplication in half precision in Triton, as its tutorial does it: programs take tiles in groups of rows."""

import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BM": 128, "BN": 256, "BK": 64, "GROUP_M": 8}, num_stages=3, num_warps=8),
    triton.Config({"BM": 128, "BN": 128, "BK": 64, "GROUP_M": 8}, num_stages=4, num_warps=8),
    triton.Config({"BM": 128, "BN": 128, "BK": 32, "GROUP_M": 8}, num_stages=4, num_warps=4),
    triton.Config({"BM": 64, "BN": 64, "BK": 32, "GROUP_M": 8}, num_stages=4, num_warps=4),
]


@triton.autotune(configs=CONFIGS, key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr):
    program = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = program // (GROUP_M * tiles_n)
    in_group = program % (GROUP_M * tiles_n)
    rows = min(tiles_m - group * GROUP_M, GROUP_M)
    tile_m, tile_n = group * GROUP_M + in_group % rows, in_group // rows
    row, column, depth = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN), tl.arange(0, BK)
    # Rows past the end are taken from the start again, so that only the depth needs a mask.
    a_tile = a + (row % m)[:, None] * k + depth[None, :]
    b_tile = b + depth[:, None] * n + (column % n)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        left = k - step * BK
        a_now = tl.load(a_tile, mask=depth[None, :] < left, other=0.0)
        b_now = tl.load(b_tile, mask=depth[:, None] < left, other=0.0)
        total = tl.dot(a_now, b_now, total)
        a_tile += BK
        b_tile += BK * n
    inside = (row < m)[:, None] & (column < n)[None, :]
    tl.store(c + row[:, None] * n + column[None, :], total.to(tl.float16), mask=inside)


def matmul(a, b, c):
    m, k = a.shape
    n = b.shape[1]
    matmul_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)](a, b, c, m, n, k)


LAUNCHES = {"matmul_f16": matmul}
