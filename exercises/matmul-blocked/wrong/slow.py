# Correct, but the tiles are only 16 columns wide: a is read twice as often.
# Launch: matmul[(ceil(n / BLOCK_N), ceil(m / BLOCK_M))](a, b, c, m, n, k, BLOCK_M=32, BLOCK_N=16, BLOCK_K=32, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]  # (BLOCK_M, 1)
    column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]  # (1, BLOCK_N)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, k, BLOCK_K):
        a_p = first + tl.arange(0, BLOCK_K)[None, :]  # p along the columns of a
        b_p = first + tl.arange(0, BLOCK_K)[:, None]  # and along the rows of b
        # What lies outside of the matrices becomes zero, which adds nothing.
        a_tile = tl.load(a + row * k + a_p, mask=(row < m) & (a_p < k), other=0.0)
        b_tile = tl.load(b + b_p * n + column, mask=(b_p < k) & (column < n), other=0.0)
        accumulator = tl.dot(a_tile, b_tile, accumulator)
    tl.store(c + row * n + column, accumulator, mask=(row < m) & (column < n))
