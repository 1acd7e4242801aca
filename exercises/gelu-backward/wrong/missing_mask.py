# Wrong: no mask, so the last program reads and writes past the end.
#
# Launch: gelu_backward[ceil(n / BLOCK)](dy, x, dx, n, BLOCK=256)
import triton
import triton.language as tl


@triton.jit
def gelu_backward(dy, x, dx, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)  # (BLOCK,)
    at = tl.load(x + i)
    u = 0.7978845608 * (at + 0.044715 * at * at * at)
    t = 2 * tl.sigmoid(2 * u) - 1
    inner = 0.7978845608 * (1 + 3 * 0.044715 * at * at)
    tl.store(dx + i, tl.load(dy + i) * (0.5 * (1 + t) + 0.5 * at * (1 - t * t) * inner))
