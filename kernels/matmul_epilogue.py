# C = act(A · B + bias) in Triton, in one kernel: bias and activation are applied to the accumulators, before they leave
# the registers. A is M × K, B is K × N, C is M × N, all row-major; bias has N elements, one for each column.
import triton
import triton.language as tl


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    if ACTIVATION == "relu":
        return tl.maximum(x, 0.0)
    # GELU by its tanh formula: 0.5 (1 + tanh(u)) is the sigmoid of 2 u.
    return x * tl.sigmoid(2 * 0.7978845608 * (x + 0.044715 * x * x * x))


@triton.jit
def matmul_bias_activation(a, b, bias, c, M, N, K, ACTIVATION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                           BK: tl.constexpr, GROUP_M: tl.constexpr):
    # The tile that this program computes: tiles are taken in groups of GROUP_M rows, as in matmul.py.
    pid = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first_m = pid // (GROUP_M * tiles_n) * GROUP_M  # first tile row of the group
    in_group = pid % (GROUP_M * tiles_n)
    rows = min(tiles_m - first_m, GROUP_M)  # the last group may have fewer
    row = (first_m + in_group % rows) * BM + tl.arange(0, BM)
    column = in_group // rows * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)

    row_inside, column_inside = row < M, column < N
    a_tile = a + row[:, None].to(tl.int64) * K + k[None, :]  # (BM, BK)
    b_tile = b + k[:, None].to(tl.int64) * N + column[None, :]  # (BK, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a_tile, mask=row_inside[:, None] & (k[None, :] < K - start), other=0.0)
        y = tl.load(b_tile, mask=(k[:, None] < K - start) & column_inside[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
        a_tile += BK
        b_tile += BK * N

    # The epilogue.
    column_bias = tl.load(bias + column, mask=column_inside, other=0.0).to(tl.float32)[None, :]  # (1, BN)
    acc = activate(acc + column_bias, ACTIVATION)
    c_tile = c + row[:, None].to(tl.int64) * N + column[None, :]  # (BM, BN)
    tl.store(c_tile, acc.to(c.dtype.element_ty), mask=row_inside[:, None] & column_inside[None, :])
