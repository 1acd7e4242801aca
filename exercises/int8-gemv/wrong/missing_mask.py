# The weights are loaded without a mask.
# Launch: int8_gemv[rows](weights, scales, x, y, rows, columns, BLOCK=512, num_warps=1)
import triton
import triton.language as tl

GROUP = tl.constexpr(128)


@triton.jit
def int8_gemv(weights, scales, x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    weights += row.to(tl.int64) * columns
    scales += row * tl.cdiv(columns, GROUP)
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < columns
        weight = tl.load(weights + column).to(tl.float32)
        scale = tl.load(scales + column // GROUP, mask=inside, other=0.0)
        sums += scale * weight * tl.load(x + column, mask=inside, other=0.0)
    tl.store(y + row, tl.sum(sums, axis=0))
