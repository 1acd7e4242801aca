# Slow: one program for 128 elements of the flattened matrix. Every one of its warps reads a[r] again.
# Launch: broadcast_add[ceil(rows * columns / BLOCK)](a, b, out, rows, columns, BLOCK=128, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def broadcast_add(a, b, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < rows * columns
    x = tl.load(a + i // columns, mask=mask)
    y = tl.load(b + i % columns, mask=mask)
    tl.store(out + i, x + y, mask=mask)
