# out[i] = a[i] + 10 for i < n, in Triton. A program computes a tile of BLOCK_SIZE elements, with the threads that the
# compiler chooses. How the host launches it is on the page Host.
import triton
import triton.language as tl


@triton.jit
def add_ten(a, out, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = i < n
    x = tl.load(a + i, mask=mask)
    tl.store(out + i, x + 10.0, mask=mask)
