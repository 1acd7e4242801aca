# Flash attention forward in Triton: O = softmax(Q · Kᵗ · scale) · V, and the log-sum-exp of each row of scores.
# Q and O are [batch, heads, queries, HEAD_DIM], K and V [batch, heads / group, keys, HEAD_DIM], contiguous: `group`
# heads of Q share one head of K and V. With a causal mask the last query sees the last key.
# A program computes BLOCK_M rows of O of one head. It loops over blocks of BLOCK_N keys, and no score ever reaches
# global memory.
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
# Below every score, and finite: LOWEST - LOWEST is 0, where infinity - infinity is NaN.
LOWEST = tl.constexpr(-1e30)


# The online softmax over the keys from `begin` to `end`. MASKED: a query may not see some of them.
@triton.jit
def attend(q_tile, k, v, acc, m, l, query, begin, end, queries, keys, scale_log2, HEAD_DIM: tl.constexpr,
           CAUSAL: tl.constexpr, BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    d = tl.arange(0, HEAD_DIM)
    for start in range(begin, end, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        inside = (key < keys)[:, None] | (not MASKED)
        k_tile = tl.load(k + key[:, None] * HEAD_DIM + d[None, :], mask=inside, other=0.0)  # (BLOCK_N, HEAD_DIM)
        scores = tl.dot(q_tile, k_tile.T) * scale_log2  # (BLOCK_M, BLOCK_N)
        if MASKED:
            visible = key[None, :] < keys
            if CAUSAL:
                visible &= key[None, :] <= query[:, None] + (keys - queries)
            scores = tl.where(visible, scores, -float("inf"))
        new_m = tl.maximum(m, tl.max(scores, axis=1))  # (BLOCK_M,)
        p = tl.exp2(scores - new_m[:, None])  # (BLOCK_M, BLOCK_N)
        rescale = tl.exp2(m - new_m)  # (BLOCK_M,)
        l = l * rescale + tl.sum(p, axis=1)
        v_tile = tl.load(v + key[:, None] * HEAD_DIM + d[None, :], mask=inside, other=0.0)  # (BLOCK_N, HEAD_DIM)
        acc = tl.dot(p.to(v_tile.dtype), v_tile, acc * rescale[:, None])  # (BLOCK_M, HEAD_DIM)
        m = new_m
    return acc, m, l


@triton.jit
def flash_attention(q, k, v, o, lse, group, queries, keys, scale, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    tile = tl.program_id(axis=0)
    if CAUSAL:  # the tiles with the most keys first
        tile = tl.num_programs(axis=0) - 1 - tile
    head = (tl.program_id(axis=2) * tl.num_programs(axis=1) + tl.program_id(axis=1)).to(tl.int64)
    k += head // group * keys * HEAD_DIM
    v += head // group * keys * HEAD_DIM
    query = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, HEAD_DIM)
    inside = query < queries
    tile_at = head * queries * HEAD_DIM + query[:, None] * HEAD_DIM + d[None, :]  # (BLOCK_M, HEAD_DIM)
    q_tile = tl.load(q + tile_at, mask=inside[:, None], other=0.0)

    # Keys that every query of the tile sees need no mask, and those that none sees are not read.
    unmasked, end = keys // BLOCK_N * BLOCK_N, keys
    if CAUSAL:
        first_sees = tl.maximum(0, tl.minimum(keys, tile * BLOCK_M + keys - queries + 1))
        unmasked = first_sees // BLOCK_N * BLOCK_N
        end = tl.maximum(0, tl.minimum(keys, tile * BLOCK_M + BLOCK_M + keys - queries))
    acc = tl.zeros((BLOCK_M, HEAD_DIM), dtype=tl.float32)
    m = tl.full((BLOCK_M,), LOWEST, dtype=tl.float32)  # the maximum of the scores so far, times log2(e)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)  # the sum of their exponentials, relative to m
    scale_log2 = scale * LOG2_E
    acc, m, l = attend(q_tile, k, v, acc, m, l, query, 0, unmasked, queries, keys, scale_log2, HEAD_DIM, CAUSAL,
                       BLOCK_N, False)
    acc, m, l = attend(q_tile, k, v, acc, m, l, query, unmasked, end, queries, keys, scale_log2, HEAD_DIM, CAUSAL,
                       BLOCK_N, True)

    # A query that sees no key gets zeros, and the logarithm of zero.
    out = acc / tl.where(l > 0, l, 1.0)[:, None]
    tl.store(o + tile_at, out.to(o.dtype.element_ty), mask=inside[:, None])
    log_sum = tl.where(l > 0, (m + tl.log2(l)) / LOG2_E, -float("inf"))
    tl.store(lse + head * queries + query, log_sum, mask=inside)
