# out[i] = a[i] + b[i] for i < n.
# TODO: the Launch line starts one program. Write the number of programs as a formula of n and BLOCK.
# Launch: vector_add[1](a, b, out, n, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    # TODO: one program, one tile of BLOCK elements.
