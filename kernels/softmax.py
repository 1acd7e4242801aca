# Softmax of every row in Triton: out[r][c] = exp(x[r][c] − max of row r) / sum over row r of exp(x[r][j] − max of row r).
# `x` and `out` have `columns` elements in a row, fp32, fp16 or bf16; the arithmetic is in fp32.
import triton
import triton.language as tl


# A tile that holds a whole row: BLOCK_SIZE is the next power of two from `columns`. −∞ past the end of the row changes
# neither the maximum nor the sum, because exp(−∞) = 0.
@triton.jit
def softmax_of_tile(x, columns, BLOCK_SIZE: tl.constexpr):
    c = tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    values = tl.load(x + c, mask=c < columns, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    return powers / tl.sum(powers, axis=0)


# One program, one row. The row is read once and stays in registers.
@triton.jit
def row_per_program(x, out, columns, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * columns  # 64 bits: large matrices have more than 2³¹ elements
    c = tl.arange(0, BLOCK_SIZE)
    tl.store(out + start + c, softmax_of_tile(x + start, columns, BLOCK_SIZE), mask=c < columns)


# Persistent programs: about as many as the GPU holds at a time, and each takes every num_programs-th row. While a row
# is computed, copies of the next num_stages − 1 rows to shared memory are in flight.
@triton.jit
def persistent(x, out, rows, columns, BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    c = tl.arange(0, BLOCK_SIZE)
    for row in tl.range(tl.program_id(axis=0), rows, tl.num_programs(axis=0), num_stages=num_stages):
        start = row.to(tl.int64) * columns
        tl.store(out + start + c, softmax_of_tile(x + start, columns, BLOCK_SIZE), mask=c < columns)


# Online, for rows of any length: maximum and sum in one pass over tiles of BLOCK_SIZE elements. When the maximum grows,
# the sum so far is rescaled to the new one. A second pass reads the row again and writes.
@triton.jit
def online(x, out, columns, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * columns
    x += start
    out += start
    maximum = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK_SIZE):
        c = first + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
        values = tl.load(x + c, mask=c < columns, other=-float("inf")).to(tl.float32)
        grown = tl.maximum(maximum, tl.max(values, axis=0))
        total = total * tl.exp(maximum - grown) + tl.sum(tl.exp(values - grown), axis=0)
        maximum = grown
    for first in range(0, columns, BLOCK_SIZE):
        c = first + tl.arange(0, BLOCK_SIZE)
        values = tl.load(x + c, mask=c < columns).to(tl.float32)
        tl.store(out + c, tl.exp(values - maximum) / total, mask=c < columns)
