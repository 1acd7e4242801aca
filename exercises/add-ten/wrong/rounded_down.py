# Wrong: the grid is rounded down, so the last n mod BLOCK elements have no program.
# Launch: add_ten[max(floor(n / BLOCK), 1)](a, out, n, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def add_ten(a, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(a + i, mask=mask) + 10, mask=mask)
