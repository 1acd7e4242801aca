# y = (scales · weights) · x: weights is rows × columns, with one scale for every GROUP columns of a row.
# Launch: int8_gemv[rows](weights, scales, x, y, rows, columns, BLOCK=512, num_warps=1)
import triton
import triton.language as tl

GROUP = tl.constexpr(128)


@triton.jit
def int8_gemv(weights, scales, x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # TODO: loop over the columns of the row, BLOCK at a time; add up scale · weight · x.
    tl.store(y + row, 0.0)
