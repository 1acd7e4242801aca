# Correct but slow: every tile is reduced across the whole block, with its barriers.
# Launch: maximum[1](x, out, n, BLOCK=2048, num_warps=8)
import triton
import triton.language as tl


@triton.jit
def maximum(x, out, n, BLOCK: tl.constexpr):
    largest = -float("inf")
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + i, mask=i < n, other=-float("inf"))  # −∞ past the end never wins
        largest = tl.maximum(largest, tl.max(values, axis=0))
    tl.store(out, largest)
