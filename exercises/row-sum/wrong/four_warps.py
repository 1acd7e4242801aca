# Correct but slow: four warps share a row, so tl.sum needs shared memory and barriers.
# Launch: row_sum[rows](x, out, rows, columns, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def row_sum(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)  # (BLOCK,) running sums
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        total += tl.load(x + r * columns + c, mask=c < columns, other=0.0)
    tl.store(out + r, tl.sum(total, axis=0))
