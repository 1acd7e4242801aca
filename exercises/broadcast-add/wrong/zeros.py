# Wrong: writes zeros everywhere.
# Launch: broadcast_add[rows](a, b, out, rows, columns, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def broadcast_add(a, b, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=0)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        tl.store(out + r * columns + c, tl.zeros((BLOCK,), dtype=tl.float32), mask=c < columns)
