"""Matrix multiplication in Triton, as its tutorial does it: programs take tiles in groups of rows, tiles are tried out."""

import triton
import triton.language as tl


def config(bm, bn, bk, stages, warps):
    return triton.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP_M": 8}, num_stages=stages, num_warps=warps)


# A tile that does not fit the GPU, as the deep ones of floats may not, is left out by the autotuner.
CONFIGS = [
    config(128, 256, 64, 3, 8),
    config(128, 256, 64, 4, 8),
    config(128, 128, 64, 4, 8),
    config(128, 128, 64, 4, 4),
    config(128, 256, 32, 3, 8),
    config(128, 128, 32, 4, 4),
    config(128, 64, 32, 4, 4),
    config(64, 128, 32, 4, 4),
    config(64, 64, 32, 4, 4),
]


@triton.autotune(configs=CONFIGS, key=["m", "n", "k", "b_row", "PRECISION"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, b_row, b_column, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  GROUP_M: tl.constexpr, PRECISION: tl.constexpr):
    program = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = program // (GROUP_M * tiles_n)
    in_group = program % (GROUP_M * tiles_n)
    rows = min(tiles_m - group * GROUP_M, GROUP_M)
    tile_m, tile_n = group * GROUP_M + in_group % rows, in_group // rows
    row, column, depth = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN), tl.arange(0, BK)
    # Rows past the end are taken from the start again, so that only the depth needs a mask.
    a_tile = a + (row % m).to(tl.int64)[:, None] * k + depth[None, :]
    b_tile = b + depth[:, None] * b_row + (column % n).to(tl.int64)[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        left = k - step * BK
        a_now = tl.load(a_tile, mask=depth[None, :] < left, other=0.0)
        b_now = tl.load(b_tile, mask=depth[:, None] < left, other=0.0)
        total = tl.dot(a_now, b_now, total, input_precision=PRECISION)
        a_tile += BK
        b_tile += BK * b_row
    inside = (row < m)[:, None] & (column < n)[None, :]
    tl.store(c + row.to(tl.int64)[:, None] * n + column[None, :], total.to(c.dtype.element_ty), mask=inside)


def multiplication(precision):
    """c = a · b; b may be a view of a transposed matrix."""

    def launch(a, b, c):
        m, k = a.shape
        n = b.shape[1]
        grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)
        matmul_kernel[grid](a, b, c, m, n, k, b.stride(0), b.stride(1), PRECISION=precision)

    return launch


# The precision says what becomes of floats; of 16-bit elements there is but one.
LAUNCHES = {
    "matmul_f16": multiplication("ieee"),
    "matmul_bf16": multiplication("ieee"),
    "matmul_tf32": multiplication("tf32"),
    "matmul_f32": multiplication("ieee"),
}
