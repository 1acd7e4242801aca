# C = A · B: a is m × k and b is k × n in half precision, c is m × n in fp32, all row-major.
# Launch: matmul[(ceil(n / BLOCK_N), ceil(m / BLOCK_M))](a, b, c, m, n, k, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]  # (BLOCK_M, 1)
    column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]  # (1, BLOCK_N)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    # TODO: loop over k, BLOCK_K at a time; load a tile of a and a tile of b, and add their product.
    tl.store(c + row * n + column, accumulator, mask=(row < m) & (column < n))
