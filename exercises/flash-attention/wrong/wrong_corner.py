# Query i sees keys 0 … i: the mask is at the wrong corner.
# Launch: flash_attention[(ceil(queries / BLOCK_M), heads)](q, k, v, out, queries, keys, scale, HEAD_DIM=32, BLOCK_M=32, BLOCK_N=32, num_warps=8)
import triton
import triton.language as tl

# Below every score, and finite: LOWEST - LOWEST is 0, where infinity - infinity is NaN.
LOWEST = tl.constexpr(-1e30)


@triton.jit
def flash_attention(q, k, v, out, queries, keys, scale, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    first_query = tl.program_id(0) * BLOCK_M
    query = first_query + tl.arange(0, BLOCK_M)[:, None]  # (BLOCK_M, 1)
    d = tl.arange(0, HEAD_DIM)[None, :]  # (1, HEAD_DIM)
    k += head * keys * HEAD_DIM
    v += head * keys * HEAD_DIM
    tile_at = (head * queries + query) * HEAD_DIM + d
    q_tile = tl.load(q + tile_at, mask=query < queries, other=0.0)  # (BLOCK_M, HEAD_DIM)

    m = tl.full((BLOCK_M,), LOWEST, dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD_DIM), dtype=tl.float32)
    end = tl.minimum(keys, first_query + BLOCK_M)  # the keys that the last query of the tile sees
    for first_key in range(0, end, BLOCK_N):
        row = first_key + tl.arange(0, BLOCK_N)[:, None]  # (BLOCK_N, 1), of k and v
        k_tile = tl.load(k + row * HEAD_DIM + d, mask=row < keys, other=0.0)
        # Full fp32: the tensor cores would round the operands to 11 bits.
        scores = tl.dot(q_tile, k_tile.T, input_precision="ieee") * scale  # (BLOCK_M, BLOCK_N)
        key = first_key + tl.arange(0, BLOCK_N)[None, :]  # (1, BLOCK_N)
        visible = (key < keys) & (key <= query)
        scores = tl.where(visible, scores, -float("inf"))
        new_m = tl.maximum(m, tl.max(scores, axis=1))  # (BLOCK_M,)
        weights = tl.exp(scores - new_m[:, None])  # (BLOCK_M, BLOCK_N)
        rescale = tl.exp(m - new_m)  # (BLOCK_M,)
        l = l * rescale + tl.sum(weights, axis=1)
        v_tile = tl.load(v + row * HEAD_DIM + d, mask=row < keys, other=0.0)
        acc = acc * rescale[:, None] + tl.dot(weights, v_tile, input_precision="ieee")
        m = new_m

    # A query that sees no key gets zeros.
    result = acc / tl.where(l > 0, l, 1.0)[:, None]
    tl.store(out + tile_at, result, mask=query < queries)
