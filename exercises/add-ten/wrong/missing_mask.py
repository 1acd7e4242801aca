# Wrong: the last program reads and writes past the end.
# Launch: add_ten[ceil(n / BLOCK)](a, out, n, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def add_ten(a, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(a + i) + 10)
