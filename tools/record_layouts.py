#!/usr/bin/env python3
"""Records what Triton says about its layouts: tests/layout/layouts.json, which tests/layout/tensor_layout_test.cpp
compares with engine/layout. Needs Triton 3.6 (`./tilescope triton`), no GPU:

    ~/.local/share/tilescope/triton/bin/python tools/record_layouts.py > tests/layout/layouts.json

A layout maps the bits of the register number, the lane and the warp to coordinates; each entry holds, for every bit,
the coordinates that it adds.
"""

import json

import triton
from triton._C.libtriton import gluon_ir, ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.experimental.gluon import language as gl

context = ir.context()
ir.load_dialects(context)
make_backend(GPUTarget("cuda", 80, 32)).load_dialects(context)
builder = gluon_ir.GluonOpBuilder(context)


def blocked(size, threads, warps, order):
    text = (f"#ttg.blocked<{{sizePerThread = {size}, threadsPerWarp = {threads}, warpsPerCTA = {warps}, "
            f"order = {order}}}>")
    return text, gl.BlockedLayout(size, threads, warps, order)


def mma(warps):
    text = f"#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = {warps}, instrShape = [16, 8]}}>"
    return text, gl.NVMMADistributedLayout([2, 0], warps, [16, 8])


def dot_op(index, parent, k_width):
    width = f", kWidth = {k_width}" if k_width else ""  # without tensor cores there is none
    text = f"#ttg.dot_op<{{opIdx = {index}, parent = {parent[0]}{width}}}>"
    return text, gl.DotOperandLayout(index, parent[1], k_width)


def slice_of(dim, parent):
    return f"#ttg.slice<{{dim = {dim}, parent = {parent[0]}}}>", gl.SliceLayout(dim, parent[1])


def entries():
    rows = blocked([1, 8], [8, 4], [4, 1], [1, 0])
    wide = blocked([1, 8], [2, 16], [4, 1], [1, 0])
    columns = blocked([4, 1], [8, 4], [1, 4], [0, 1])
    flat = blocked([4], [32], [4], [0])
    for layout, shapes in [
        (flat, [[1024], [512], [256], [64], [4096]]),
        (blocked([1], [32], [8], [0]), [[128], [2048]]),
        (rows, [[64, 32], [128, 32], [16, 16], [64, 1], [1, 32], [64, 64]]),
        (wide, [[32, 128], [64, 128], [32, 64]]),
        (columns, [[64, 64], [32, 16]]),
        (blocked([1, 1, 4], [2, 2, 8], [2, 2, 1], [2, 1, 0]), [[4, 8, 64]]),
    ]:
        for shape in shapes:
            yield layout, shape
    square = blocked([4, 4], [4, 8], [2, 2], [1, 0])
    for parent in (square, rows, columns):
        for index in (0, 1):
            for shape in ([64, 32], [16, 64], [64, 64]):
                yield dot_op(index, parent, 0), shape
    for parent, dims, lengths in [(rows, [0, 1], [32, 64, 128]), (wide, [0, 1], [64, 128]), (columns, [0, 1], [64])]:
        for dim in dims:
            for length in lengths:
                yield slice_of(dim, parent), [length]
    for warps in ([1, 4], [2, 2], [4, 1], [2, 4], [1, 1]):
        parent = mma(warps)
        for shape in ([64, 128], [16, 8], [128, 64], [32, 32]):
            yield parent, shape
        for dim in (0, 1):
            yield slice_of(dim, parent), [64]
        for k_width in (1, 2, 4):
            for index in (0, 1):
                for shape in ([64, 32], [32, 128], [16, 16], [128, 64]):
                    yield dot_op(index, parent, k_width), shape


def main():
    layouts = []
    for (text, layout), shape in entries():
        linear = builder.to_linear_layout(layout._to_ir(builder), shape)
        bases = {"register": linear.reg_bases, "lane": linear.lane_bases, "warp": linear.warp_bases}
        layouts.append({"layout": text, "shape": shape, "bases": bases})
    rows = ",\n".join(json.dumps(one) for one in layouts)
    print(f'{{"triton": "{triton.__version__}", "layouts": [\n{rows}\n]}}')


if __name__ == "__main__":
    main()
