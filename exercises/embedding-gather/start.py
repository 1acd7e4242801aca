# out[t, c] = table[ids[t], c] for t < tokens and c < width.
# TODO: choose the grid.
# Launch: embed[1](table, ids, out, tokens, width, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def embed(table, ids, out, tokens, width, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    # TODO: which token and which columns does this program own?
