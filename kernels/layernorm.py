# LayerNorm of every row in Triton: out[r][c] = (x[r][c] - mean of row r) · rstd of row r · gamma[c] + beta[c], where
# rstd = 1 / sqrt(variance of the row + epsilon). mean and rstd are kept for the backward pass.
# `x` and `out` have `rows` rows of `columns` elements, `gamma` and `beta` have `columns`. Memory holds fp32 or bf16, and
# all arithmetic is in fp32. gamma and beta are fused in all three kernels.
#
# BLOCK_SIZE   columns of a tile     ROWS  rows of a tile     num_stages  tiles in flight in a loop
import triton
import triton.language as tl


# ---- A program for each row, which it holds in one tile: two passes over registers. BLOCK_SIZE is the next power of two
# from `columns`.


@triton.jit
def row_in_a_tile(x, gamma, beta, out, means, rstds, columns, epsilon, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)  # row * columns may exceed 32 bits
    c = tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = c < columns
    values = tl.load(x + row * columns + c, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / columns
    distance = tl.where(mask, values - mean, 0.0)  # the padding is 0, which is not at distance 0 from the mean
    rstd = tl.rsqrt(tl.sum(distance * distance, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(rstds + row, rstd)
    scale = tl.load(gamma + c, mask=mask).to(tl.float32)
    shift = tl.load(beta + c, mask=mask).to(tl.float32)
    tl.store(out + row * columns + c, distance * rstd * scale + shift, mask=mask)


# ---- The program loops over tiles of the row, as in Triton's tutorial on layer normalization: once for the mean, once
# for the variance, once to write. What a loop adds up is a tile, reduced over the threads once, after the loop.


@triton.jit
def tiles_of_a_row(x, gamma, beta, out, means, rstds, columns, epsilon, BLOCK_SIZE: tl.constexpr,
                   num_stages: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    x += row * columns
    out += row * columns
    sums = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for start in tl.range(0, columns, BLOCK_SIZE, num_stages=num_stages):
        c = start + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
        sums += tl.load(x + c, mask=c < columns, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / columns
    squares = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for start in tl.range(0, columns, BLOCK_SIZE, num_stages=num_stages):
        c = start + tl.arange(0, BLOCK_SIZE)
        values = tl.load(x + c, mask=c < columns, other=0.0).to(tl.float32)
        distance = tl.where(c < columns, values - mean, 0.0)
        squares += distance * distance
    rstd = tl.rsqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(rstds + row, rstd)
    for start in tl.range(0, columns, BLOCK_SIZE, num_stages=num_stages):
        c = start + tl.arange(0, BLOCK_SIZE)
        mask = c < columns
        values = tl.load(x + c, mask=mask).to(tl.float32)
        scale = tl.load(gamma + c, mask=mask).to(tl.float32)
        shift = tl.load(beta + c, mask=mask).to(tl.float32)
        tl.store(out + c, (values - mean) * rstd * scale + shift, mask=mask)


# ---- A program for ROWS rows, as a tile of two dimensions. axis=1 reduces within a row, and the compiler decides how
# many lanes share one.


@triton.jit
def rows_in_a_tile(x, gamma, beta, out, means, rstds, rows, columns, epsilon, ROWS: tl.constexpr,
                   BLOCK_SIZE: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    c = tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    offsets = r[:, None] * columns + c[None, :]  # (ROWS, BLOCK_SIZE)
    inside = (c < columns)[None, :]
    mask = (r < rows)[:, None] & inside
    values = tl.load(x + offsets, mask=mask, other=0.0).to(tl.float32)
    scale = tl.load(gamma + c, mask=c < columns, other=0.0).to(tl.float32)
    shift = tl.load(beta + c, mask=c < columns, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=1) / columns  # (ROWS,)
    distance = values - mean[:, None]
    # The mask comes after the product, so that the product and the sum over the lanes do not become one FMA: each lane
    # would round the sum in its own way, and the lanes that store rstd would disagree in its last bit.
    squares = tl.where(inside, distance * distance, 0.0)
    rstd = tl.rsqrt(tl.sum(squares, axis=1) / columns + epsilon)
    tl.store(means + r, mean, mask=r < rows)
    tl.store(rstds + r, rstd, mask=r < rows)
    tl.store(out + offsets, distance * rstd[:, None] * scale[None, :] + shift[None, :], mask=mask)
