"""Candidates for list_ptx_forms.py: products of matrices, their loads and stores, asynchronous copies and mbarriers."""
import re

from ptx_forms_plain import CANDIDATES, add, address

BITS = {"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8,
        "s4": 4, "u4": 4, "b1": 1}


def fragment(rows, columns, kind, accumulator=False):
    """A lane's share of a matrix, as a vector of registers; the same ones for each, since only the form matters."""
    stem = "%fd" if kind == "f64" else "%f" if kind == "f32" and accumulator else "%r"
    count = max(1, rows * columns * BITS[kind] // 32 // (64 if kind == "f64" else 32))
    return "'{" + ",".join(f"{stem}{i + 1}" for i in range(count)) + "}'"


def product(head, shape, kinds, tail="", sparse=False, layouts="row.col"):
    m, n, k = (int(part) for part in re.findall(r"\d+", shape))
    d, a, b, c = kinds
    if (shape, a) == ("m8n8k4", "f16"):  # by four quad-pairs of lanes, each with a product of its own
        half, whole = "'{%r1,%r2,%r3,%r4}'", "'{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}'"
        operands = [whole if d == "f32" else half, "'{%r1,%r2}'", "'{%r3,%r4}'", whole if c == "f32" else half]
    else:
        operands = [fragment(m, n, d, True), fragment(m, k // 2 if sparse else k, a), fragment(k, n, b),
                    fragment(m, n, c, True)]
    if sparse:
        operands += ["'%r5'", "'0x0'"]
    add(f"{head}.sync.aligned.{shape}.{layouts}{{,.satfinite}}.{'.'.join(kinds)}{tail}", operands)


EIGHTHS = [(a, b) for a in ["e4m3", "e5m2"] for b in ["e4m3", "e5m2"]]
BYTES = [(a, b) for a in ["s8", "u8"] for b in ["s8", "u8"]]
NIBBLES = [(a, b) for a in ["s4", "u4"] for b in ["s4", "u4"]]


def matrix():
    for count, registers in [("x1", 1), ("x2", 2), ("x4", 4)]:
        vector = "'{" + ",".join(f"%r{i + 1}" for i in range(registers)) + "}'"
        for space in ["", ".shared", ".shared::cta"]:
            where = address(space)
            add(f"ldmatrix.sync.aligned.m8n8.{count}{{,.trans}}{space}.b16", [vector, where])
            add(f"stmatrix.sync.aligned.m8n8.{count}{{,.trans}}{space}.b16", [where, vector])
    add("movmatrix.sync.aligned.m8n8.trans.b16", ["4", "4"])
    for d in ["f16", "f32"]:
        for c in ["f16", "f32"]:
            product("mma", "m8n8k4", [d, "f16", "f16", c], layouts="{row,col}.{row,col}")
        for shape in ["m16n8k8", "m16n8k16"]:
            product("mma", shape, [d, "f16", "f16", d])
        for a, b in EIGHTHS:
            for shape in ["m16n8k16", "m16n8k32"]:
                product("mma", shape, [d, a, b, d])
    for shape in ["m16n8k8", "m16n8k16"]:
        product("mma", shape, ["f32", "bf16", "bf16", "f32"])
    for shape in ["m16n8k4", "m16n8k8"]:
        product("mma", shape, ["f32", "tf32", "tf32", "f32"])
    for shape in ["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"]:
        product("mma", shape, ["f64"] * 4)
    for pairs, shapes in [(BYTES, ["m8n8k16", "m16n8k16", "m16n8k32"]), (NIBBLES, ["m8n8k32", "m16n8k32", "m16n8k64"])]:
        for a, b in pairs:
            for shape in shapes:
                product("mma", shape, ["s32", a, b, "s32"])
    for op in ["xor", "and"]:
        for shape in ["m8n8k128", "m16n8k128", "m16n8k256"]:
            product("mma", shape, ["s32", "b1", "b1", "s32"], tail=f".{op}.popc")
    sparse = [(["f16", "f16", "f16", "f16"], ["m16n8k16", "m16n8k32"]), (["f32", "f16", "f16", "f32"], ["m16n8k16", "m16n8k32"]),
              (["f32", "bf16", "bf16", "f32"], ["m16n8k16", "m16n8k32"]), (["f32", "tf32", "tf32", "f32"], ["m16n8k8", "m16n8k16"])]
    sparse += [(["s32", a, b, "s32"], ["m16n8k32", "m16n8k64"]) for a, b in BYTES]
    sparse += [(["s32", a, b, "s32"], ["m16n8k64", "m16n8k128"]) for a, b in NIBBLES]
    for kinds, shapes in sparse:
        for shape in shapes:
            for head in ["mma.sp", "mma.sp::ordered_metadata"]:
                product(head, shape, kinds, sparse=True)
    for shape in ["m16n16k16", "m32n8k16", "m8n32k16"]:
        wmma(shape, ["f16", "bf16", "s8", "u8"], ["f16", "f32", "s32"])
        for d in ["f16", "f32"]:
            for c in ["f16", "f32"]:
                wmma_product(shape, [d, "f16", "f16", c], f"{d}.{c}")
        wmma_product(shape, ["f32", "bf16", "bf16", "f32"], "f32.bf16.bf16.f32")
        for t in ["s8", "u8"]:
            wmma_product(shape, ["s32", t, t, "s32"], f"s32.{t}.{t}.s32{{,.satfinite}}")
    wmma("m16n16k8", ["tf32"], ["f32"])
    wmma_product("m16n16k8", ["f32", "tf32", "tf32", "f32"], "f32.tf32.tf32.f32")
    wmma("m8n8k4", ["f64"], ["f64"])
    wmma_product("m8n8k4", ["f64"] * 4, "f64.f64.f64.f64{,.rn}")
    wmma("m8n8k32", ["s4", "u4"], ["s32"], ["row"], ["col"])
    for t in ["s4", "u4"]:
        wmma_product("m8n8k32", ["s32", t, t, "s32"], f"s32.{t}.{t}.s32{{,.satfinite}}", "row.col")
    wmma("m8n8k128", ["b1"], ["s32"], ["row"], ["col"])
    for op in ["xor", "and"]:
        m8 = ["'{%r1,%r2}'", "'{%r3}'", "'{%r4}'", "'{%r5,%r6}'"]
        add(f"wmma.mma.{op}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", m8)


def wmma_fragment(role, shape, kind):
    m, n, k = (int(part) for part in re.findall(r"\d+", shape))
    if kind == "f16" and role in "ab":
        return "'{" + ",".join(f"%r{i + 1}" for i in range(8)) + "}'"  # each element twice
    extents = {"a": (m, k), "b": (k, n)}.get(role, (m, n))
    return fragment(*extents, kind, role in "cd")


def wmma(shape, operands, accumulators, layouts_a=("row", "col"), layouts_b=("row", "col")):
    for space in ["", ".global", ".shared"]:
        where = address(space)
        for role, layouts in [("a", layouts_a), ("b", layouts_b)]:
            for kind in operands:
                for layout in layouts:
                    vector = wmma_fragment(role, shape, kind)
                    add(f"wmma.load.{role}.sync.aligned.{layout}.{shape}{space}.{kind}", [vector, where])
                    add(f"wmma.load.{role}.sync.aligned.{layout}.{shape}{space}.{kind}", [vector, where, "'%r9'"])
        for kind in accumulators:
            for layout in ["row", "col"]:
                vector = wmma_fragment("c", shape, kind)
                add(f"wmma.load.c.sync.aligned.{layout}.{shape}{space}.{kind}", [vector, where, "'%r9'"])
                add(f"wmma.store.d.sync.aligned.{layout}.{shape}{space}.{kind}", [where, vector, "'%r9'"])


def wmma_product(shape, kinds, types, layouts="{row,col}.{row,col}"):
    add(f"wmma.mma.sync.aligned.{layouts}.{shape}.{types}",
        [wmma_fragment(role, shape, kind) for role, kind in zip("dabc", kinds)])


def asynchronous():
    for size in ["4", "8", "16"]:
        for level in ["", ".L2::64B", ".L2::128B", ".L2::256B"]:
            for cache in ["ca", "cg"]:
                for space in [".shared", ".shared::cta"]:
                    copy = f"cp.async.{cache}{space}.global{level}"
                    add(copy, ["s", "a", f"'{size}'"])
                    add(copy, ["s", "a", f"'{size}'", "4"])
    add("cp.async.{commit_group,wait_all}", [])
    add("cp.async.wait_group", ["'2'"])
    for space in ["", ".shared", ".shared::cta"]:
        where = "s" if space else "a"
        add(f"mbarrier.init{space}.b64", [where, "'32'"])
        add(f"mbarrier.inval{space}.b64", [where])
        for op in ["arrive", "arrive_drop"]:
            add(f"mbarrier.{op}{{,.release.cta}}{space}.b64", ["8", where])
            add(f"mbarrier.{op}{{,.release.cta}}{space}.b64", ["8", where, "'2'"])
            add(f"mbarrier.{op}.noComplete{{,.release.cta}}{space}.b64", ["8", where, "'2'"])
            add(f"mbarrier.{op}.expect_tx{{,.release.cta}}{space}.b64", ["8", where, "'64'"])
        add(f"mbarrier.{{test_wait,try_wait}}{{,.acquire.cta}}{space}.b64", ["p", where, "8"])
        add(f"mbarrier.{{test_wait,try_wait}}.parity{{,.acquire.cta}}{space}.b64", ["p", where, "4"])
        add(f"cp.async.mbarrier.arrive{{,.noinc}}{space}.b64", [where])
    add("mbarrier.pending_count.b64", ["4", "8"])


def candidates():
    del CANDIDATES[:]
    matrix()
    asynchronous()
    return list(CANDIDATES)
