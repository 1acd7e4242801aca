# RMSNorm of every row in Triton: out[r][c] = x[r][c] / sqrt(mean over row r of x² + epsilon) · gamma[c].
# `x` and `out` have `rows` rows of `columns` elements, `gamma` has `columns`. Memory holds fp32 or bf16, and all
# arithmetic is in fp32. The schemes are those of rmsnorm.cu: who sums the squares of a row, and how the row is read
# again. A program is a CTA.
#
# BLOCK_SIZE   columns of a tile                CTAS        programs that share a row
# ROWS         rows of a tile                   num_stages  tiles in flight in a loop
import triton
import triton.language as tl


@triton.jit
def inverse_rms(squares, columns, epsilon):
    return tl.rsqrt(squares / columns + epsilon)


# ---- Scheme 1: a program for each row, which it holds in one tile. BLOCK_SIZE is the next power of two from `columns`,
# and the padding loads as 0, which adds nothing to a sum of squares.


@triton.jit
def row_in_a_tile(x, gamma, out, columns, epsilon, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)  # row * columns may exceed 32 bits
    c = tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = c < columns
    values = tl.load(x + row * columns + c, mask=mask, other=0.0).to(tl.float32)
    scale = inverse_rms(tl.sum(values * values, axis=0), columns, epsilon)
    weight = tl.load(gamma + c, mask=mask).to(tl.float32)
    tl.store(out + row * columns + c, values * scale * weight, mask=mask)


# ---- Scheme 2: the program loops over tiles of the row, once to add the squares and once to write. `squares` is a tile,
# so that the reduction over the threads comes once, after the loop.


@triton.jit
def sum_squares(row, first, last, BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    squares = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for start in tl.range(first, last, BLOCK_SIZE, num_stages=num_stages):
        c = start + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
        values = tl.load(row + c, mask=c < last, other=0.0).to(tl.float32)
        squares += values * values
    return tl.sum(squares, axis=0)


@triton.jit
def write_scaled(row, gamma, to, first, last, scale, BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    for start in tl.range(first, last, BLOCK_SIZE, num_stages=num_stages):
        c = start + tl.arange(0, BLOCK_SIZE)
        mask = c < last
        values = tl.load(row + c, mask=mask).to(tl.float32)
        weight = tl.load(gamma + c, mask=mask).to(tl.float32)
        tl.store(to + c, values * scale * weight, mask=mask)


@triton.jit
def tiles_of_a_row(x, gamma, out, columns, epsilon, BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64) * columns
    squares = sum_squares(x + row, 0, columns, BLOCK_SIZE, num_stages)
    scale = inverse_rms(squares, columns, epsilon)
    write_scaled(x + row, gamma, out + row, 0, columns, scale, BLOCK_SIZE, num_stages)


# ---- Scheme 3: several programs for a row. No program may wait for another, because nothing says that they run at the
# same time. The end of a launch is the barrier instead: one kernel adds the squares, the next one reads the sum.


@triton.jit
def share_of(columns, CTAS: tl.constexpr):
    part = tl.program_id(axis=0) % CTAS
    share = tl.cdiv(columns, CTAS * 16) * 16  # a multiple of 16, so that a share starts on 16 bytes if its row does
    first = tl.minimum(part * share, columns)
    return first, tl.minimum(first + share, columns)


@triton.jit
def clear_sums(sums, rows, BLOCK_SIZE: tl.constexpr):
    r = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(sums + r, tl.zeros((BLOCK_SIZE,), dtype=tl.float32), mask=r < rows)


# sums: (rows,), which is 0. Atomics add in the order of arrival: the last bits differ from run to run.
@triton.jit
def add_squares(x, sums, columns, CTAS: tl.constexpr, BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    row = (tl.program_id(axis=0) // CTAS).to(tl.int64)
    first, last = share_of(columns, CTAS)
    squares = sum_squares(x + row * columns, first, last, BLOCK_SIZE, num_stages)
    tl.atomic_add(sums + row, squares, sem="relaxed")  # nothing else is published: the order does not matter


@triton.jit
def scale_by_sum(x, gamma, out, sums, columns, epsilon, CTAS: tl.constexpr, BLOCK_SIZE: tl.constexpr,
                 num_stages: tl.constexpr):
    row = (tl.program_id(axis=0) // CTAS).to(tl.int64)
    first, last = share_of(columns, CTAS)
    scale = inverse_rms(tl.load(sums + row), columns, epsilon)
    write_scaled(x + row * columns, gamma, out + row * columns, first, last, scale, BLOCK_SIZE, num_stages)


# The same without an atomic. parts: (rows, CTAS), one sum for each program, which need not be cleared. Every program of
# the second kernel adds them in the same order, so that the result is the same in every run.
@triton.jit
def store_squares(x, parts, columns, CTAS: tl.constexpr, BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    pid = tl.program_id(axis=0)
    row = (pid // CTAS).to(tl.int64)
    first, last = share_of(columns, CTAS)
    tl.store(parts + pid, sum_squares(x + row * columns, first, last, BLOCK_SIZE, num_stages))


@triton.jit
def scale_by_parts(x, gamma, out, parts, columns, epsilon, CTAS: tl.constexpr, BLOCK_SIZE: tl.constexpr,
                   num_stages: tl.constexpr):
    row = (tl.program_id(axis=0) // CTAS).to(tl.int64)
    first, last = share_of(columns, CTAS)
    squares = tl.sum(tl.load(parts + row * CTAS + tl.arange(0, CTAS)), axis=0)
    scale = inverse_rms(squares, columns, epsilon)
    write_scaled(x + row * columns, gamma, out + row * columns, first, last, scale, BLOCK_SIZE, num_stages)


# ---- Scheme 4: a program for ROWS rows, as a tile of two dimensions. axis=1 reduces within a row, and the compiler
# decides how many lanes share one.


@triton.jit
def rows_in_a_tile(x, gamma, out, rows, columns, epsilon, ROWS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    c = tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    offsets = r[:, None] * columns + c[None, :]  # (ROWS, BLOCK_SIZE)
    mask = (r < rows)[:, None] & (c < columns)[None, :]
    values = tl.load(x + offsets, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(gamma + c, mask=c < columns, other=0.0).to(tl.float32)
    scale = inverse_rms(tl.sum(values * values, axis=1), columns, epsilon)  # (ROWS,)
    tl.store(out + offsets, values * scale[:, None] * weight[None, :], mask=mask)
