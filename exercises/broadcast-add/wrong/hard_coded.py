# Wrong: one tile of 1,024 columns is enough for the sizes that the learner sees, and not for longer rows.
# Launch: broadcast_add[rows](a, b, out, rows, columns, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def broadcast_add(a, b, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=0)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    tl.store(out + r * columns + c, tl.load(a + r) + tl.load(b + c, mask=mask), mask=mask)
