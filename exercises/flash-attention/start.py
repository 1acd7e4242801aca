# out = softmax(q · kᵗ · scale) · v with a causal mask: the last query sees the last key.
# Launch: flash_attention[(ceil(queries / BLOCK_M), heads)](q, k, v, out, queries, keys, scale, HEAD_DIM=32, BLOCK_M=32, BLOCK_N=32, num_warps=8)
import triton
import triton.language as tl


@triton.jit
def flash_attention(q, k, v, out, queries, keys, scale, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    query = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]  # (BLOCK_M, 1)
    d = tl.arange(0, HEAD_DIM)[None, :]  # (1, HEAD_DIM)
    tile_at = (head * queries + query) * HEAD_DIM + d
    acc = tl.zeros((BLOCK_M, HEAD_DIM), dtype=tl.float32)
    # TODO: load the tile of q; loop over blocks of keys, with the maximum m and the sum l of each row; update acc.
    # Give tl.dot input_precision="ieee": this exercise wants all of fp32.
    tl.store(out + tile_at, acc, mask=query < queries)
