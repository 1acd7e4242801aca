# Wrong: pairs neighbours, 2i and 2i + 1, which is the other form of rotary embedding.
#
# Launch: rope[(heads, tokens)](x, cosine, sine, out, tokens, heads, dim, BLOCK=64, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def rope(x, cosine, sine, out, tokens, heads, dim, BLOCK: tl.constexpr):
    head = tl.program_id(axis=0)
    token = tl.program_id(axis=1).to(tl.int64)  # 64 bits: long sequences have more than 2³¹ elements
    half = dim // 2
    i = tl.arange(0, BLOCK)  # (BLOCK,)
    mask = i < half
    start = (token * heads + head) * dim
    first = tl.load(x + start + 2 * i, mask=mask)
    second = tl.load(x + start + 2 * i + 1, mask=mask)
    c = tl.load(cosine + token * half + i, mask=mask)
    s = tl.load(sine + token * half + i, mask=mask)
    tl.store(out + start + 2 * i, first * c - second * s, mask=mask)
    tl.store(out + start + 2 * i + 1, second * c + first * s, mask=mask)
