"""FlashAttention in Triton: one program for a tile of queries, and backward one for a tile of keys or of queries.

Tensors are [batch, heads, length, head dimension], contiguous. With a causal mask the last query sees the last key.
"""

import triton
import triton.language as tl

LOG2_E = 1.4426950408889634
LOWEST = tl.constexpr(-1e30)  # below every score, and finite


@triton.jit
def tile_of(matrix, row, rows, depth, D: tl.constexpr, MASKED: tl.constexpr):
    """Rows of a matrix of D columns; past the end they are zeros."""
    at = matrix + row[:, None] * D + depth[None, :]
    if MASKED:
        return tl.load(at, mask=(row < rows)[:, None], other=0.0)
    return tl.load(at)


@triton.jit
def walk(q_tile, k, v, acc, m, l, row, begin, end, scale_log2, queries, keys, D: tl.constexpr, BN: tl.constexpr,
         CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    depth = tl.arange(0, D)
    for start in range(begin, end, BN):
        key = start + tl.arange(0, BN)
        k_tile = tile_of(k, key, keys, depth, D, MASKED)
        scores = tl.dot(q_tile, tl.trans(k_tile)) * scale_log2
        if MASKED:
            seen = (key < keys)[None, :]
            if CAUSAL:
                seen = seen & (key[None, :] <= row[:, None] + keys - queries)
            scores = tl.where(seen, scores, -float("inf"))
        top = tl.maximum(m, tl.max(scores, 1))
        p = tl.math.exp2(scores - top[:, None])
        rescale = tl.math.exp2(m - top)
        l = l * rescale + tl.sum(p, 1)
        acc = acc * rescale[:, None]
        v_tile = tile_of(v, key, keys, depth, D, MASKED)
        acc = tl.dot(p.to(v_tile.dtype), v_tile, acc)
        m = top
    return acc, m, l


@triton.autotune(
    configs=[triton.Config({"BM": bm, "BN": bn}, num_stages=stages, num_warps=warps)
             for bm, bn, stages, warps in [(128, 64, 3, 4), (128, 64, 3, 8), (128, 128, 2, 8), (64, 64, 3, 4)]],
    key=["queries", "keys", "D", "CAUSAL"])
@triton.jit
def forward_kernel(q, k, v, out, lse, scale_log2, group, queries, keys, D: tl.constexpr, CAUSAL: tl.constexpr,
                   BM: tl.constexpr, BN: tl.constexpr):
    tile, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    if CAUSAL:  # the tiles with the most work first
        tile = tl.num_programs(0) - 1 - tile
    row, depth = tile * BM + tl.arange(0, BM), tl.arange(0, D)
    kv = head // group * keys * D
    q_tile = tile_of(q + head * queries * D, row, queries, depth, D, True)
    end = keys
    whole = keys // BN * BN
    if CAUSAL:
        end = tl.minimum(keys, tl.maximum(0, tl.minimum(tile * BM + BM, queries) + keys - queries))
        whole = tl.minimum(keys, tl.maximum(0, tile * BM + 1 + keys - queries)) // BN * BN
    acc = tl.zeros((BM, D), dtype=tl.float32)
    m = tl.zeros((BM,), dtype=tl.float32) + LOWEST
    l = tl.zeros((BM,), dtype=tl.float32)
    acc, m, l = walk(q_tile, k + kv, v + kv, acc, m, l, row, 0, whole, scale_log2, queries, keys, D, BN, CAUSAL, False)
    acc, m, l = walk(q_tile, k + kv, v + kv, acc, m, l, row, whole, end, scale_log2, queries, keys, D, BN, CAUSAL, True)
    inside = row < queries
    acc = acc / tl.where(l > 0, l, 1.0)[:, None]  # a query that sees no key gets zeros
    at = out + head * queries * D + row[:, None] * D + depth[None, :]
    tl.store(at, acc.to(out.dtype.element_ty), mask=inside[:, None])
    # In units of log 2; of a query that sees no key plus infinity, so that its weights are 0 backward as well.
    tl.store(lse + head * queries + row, tl.where(l > 0, m + tl.math.log2(l), float("inf")), mask=inside)


@triton.jit
def weights_of(q_tile, k_tile, lse_row, row, key, scale_log2, queries, keys, CAUSAL: tl.constexpr):
    """P, (queries, keys), and zero where a query does not see the key."""
    p = tl.math.exp2(tl.dot(q_tile, tl.trans(k_tile)) * scale_log2 - lse_row[:, None])
    seen = (row < queries)[:, None] & (key < keys)[None, :]
    if CAUSAL:
        seen = seen & (key[None, :] <= row[:, None] + keys - queries)
    return tl.where(seen, p, 0.0)


BACKWARD = [triton.Config({"BM": bm, "BN": bn}, num_stages=stages, num_warps=warps)
            for bm, bn, stages, warps in [(64, 128, 2, 8), (64, 64, 2, 4), (32, 128, 3, 8), (128, 64, 2, 8)]]


@triton.autotune(configs=BACKWARD, key=["queries", "keys", "D", "CAUSAL"])
@triton.jit
def keys_kernel(q, k, v, d_o, lse, sums, dk, dv, scale, scale_log2, group, queries, keys, D: tl.constexpr,
                CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    kv_head = tl.program_id(1).to(tl.int64)
    key, depth = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, D)
    k_tile = tile_of(k + kv_head * keys * D, key, keys, depth, D, True)
    v_tile = tile_of(v + kv_head * keys * D, key, keys, depth, D, True)
    sum_k = tl.zeros((BN, D), dtype=tl.float32)
    sum_v = tl.zeros((BN, D), dtype=tl.float32)
    begin = 0
    if CAUSAL:
        begin = tl.maximum(0, tl.program_id(0) * BN - (keys - queries)) // BM * BM
    for head in range(kv_head * group, kv_head * group + group):
        for start in range(begin, queries, BM):
            row = start + tl.arange(0, BM)
            inside = row < queries
            q_tile = tile_of(q + head * queries * D, row, queries, depth, D, True)
            d_o_tile = tile_of(d_o + head * queries * D, row, queries, depth, D, True)
            lse_row = tl.load(lse + head * queries + row, mask=inside, other=float("inf"))
            sum_row = tl.load(sums + head * queries + row, mask=inside, other=0.0)
            p = weights_of(q_tile, k_tile, lse_row, row, key, scale_log2, queries, keys, CAUSAL)
            sum_v = tl.dot(tl.trans(p.to(q_tile.dtype)), d_o_tile, sum_v)
            ds = p * (tl.dot(d_o_tile, tl.trans(v_tile)) - sum_row[:, None])
            sum_k = tl.dot(tl.trans(ds.to(q_tile.dtype)), q_tile, sum_k)
    at = kv_head * keys * D + key[:, None] * D + depth[None, :]
    tl.store(dk + at, (sum_k * scale).to(dk.dtype.element_ty), mask=(key < keys)[:, None])
    tl.store(dv + at, sum_v.to(dv.dtype.element_ty), mask=(key < keys)[:, None])


@triton.autotune(configs=BACKWARD, key=["queries", "keys", "D", "CAUSAL"])
@triton.jit
def queries_kernel(q, k, v, d_o, lse, sums, dq, scale, scale_log2, group, queries, keys, D: tl.constexpr,
                   CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    kv = head // group * keys * D
    row, depth = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    inside = row < queries
    q_tile = tile_of(q + head * queries * D, row, queries, depth, D, True)
    d_o_tile = tile_of(d_o + head * queries * D, row, queries, depth, D, True)
    lse_row = tl.load(lse + head * queries + row, mask=inside, other=float("inf"))
    sum_row = tl.load(sums + head * queries + row, mask=inside, other=0.0)
    sum_q = tl.zeros((BM, D), dtype=tl.float32)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, tl.maximum(0, tl.minimum(tl.program_id(0) * BM + BM, queries) + keys - queries))
    for start in range(0, end, BN):
        key = start + tl.arange(0, BN)
        k_tile = tile_of(k + kv, key, keys, depth, D, True)
        v_tile = tile_of(v + kv, key, keys, depth, D, True)
        p = weights_of(q_tile, k_tile, lse_row, row, key, scale_log2, queries, keys, CAUSAL)
        ds = p * (tl.dot(d_o_tile, tl.trans(v_tile)) - sum_row[:, None])
        sum_q = tl.dot(ds.to(k_tile.dtype), k_tile, sum_q)
    at = dq + head * queries * D + row[:, None] * D + depth[None, :]
    tl.store(at, (sum_q * scale).to(dq.dtype.element_ty), mask=inside[:, None])


@triton.jit
def sums_kernel(out, d_o, sums, rows, D: tl.constexpr, BM: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    depth = tl.arange(0, D)
    products = tile_of(out, row, rows, depth, D, True).to(tl.float32) * tile_of(d_o, row, rows, depth, D, True)
    tl.store(sums + row, tl.sum(products, 1), mask=row < rows)


def forward(q, k, v, out, lse, causal):
    batch, heads, queries, depth = q.shape
    keys, scale_log2 = k.shape[2], depth**-0.5 * LOG2_E

    def grid(meta):
        return triton.cdiv(queries, meta["BM"]), batch * heads

    forward_kernel[grid](q, k, v, out, lse, scale_log2, heads // k.shape[1], queries, keys, D=depth, CAUSAL=causal)


def attention(q, k, v, out, causal):
    import torch

    forward(q, k, v, out, torch.empty(q.shape[:3], dtype=torch.float32, device=q.device), causal)


def attention_backward(q, k, v, d_o, outputs, causal, kept):
    import torch

    if q.data_ptr() not in kept:  # the forward pass, once for each set of inputs
        out, lse = torch.empty_like(q), torch.empty(q.shape[:3], dtype=torch.float32, device=q.device)
        forward(q, k, v, out, lse, causal)
        kept[q.data_ptr()] = (out, lse, torch.empty_like(lse))
    out, lse, sums = kept[q.data_ptr()]
    dq, dk, dv = outputs
    batch, heads, queries, depth = q.shape
    kv_heads, keys, scale = k.shape[1], k.shape[2], depth**-0.5
    numbers = (scale, scale * LOG2_E, heads // kv_heads, queries, keys)
    sums_kernel[(triton.cdiv(sums.numel(), 64),)](out, d_o, sums, sums.numel(), D=depth, BM=64)
    keys_kernel[lambda meta: (triton.cdiv(keys, meta["BN"]), batch * kv_heads)](
        q, k, v, d_o, lse, sums, dk, dv, *numbers, D=depth, CAUSAL=causal)
    queries_kernel[lambda meta: (triton.cdiv(queries, meta["BM"]), batch * heads)](
        q, k, v, d_o, lse, sums, dq, *numbers, D=depth, CAUSAL=causal)


LAUNCHES = {"attention": attention, "attention_backward": attention_backward}
