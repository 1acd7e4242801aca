#!/usr/bin/env python3
"""Writes tests/ptx/forms.txt: every form of every PTX instruction that ptxas accepts, with the first target that does;
and tests/ptx/orders.txt: in which other orders it accepts the qualifiers.

    bench/list_ptx_forms.py > tests/ptx/forms.txt
    bench/list_ptx_forms.py orders > tests/ptx/orders.txt
    bench/list_ptx_forms.py check tests/ptx/forms.txt tests/ptx/orders.txt     asks ptxas about both again

The candidates are the syntax lines of the PTX ISA, chapter "Instruction Set", multiplied out; ptxas decides which of
them exist. A candidate is an opcode with {x,y} for alternatives, a blank, and its operands:

    2 4 8 q    a register of 2, 4, 8, 16 bytes     h f d      the same as .b16, .f32, .f64
    p P        a predicate, a pair p|q             a          an address in a 64-bit register
    s k l      a shared, constant, local variable  w W        {two} or {four} elements of the type's width
    0 … 9 in brackets, quotes: anything as it stands
"""
import itertools
import re
import subprocess
import sys
import tempfile

TARGETS = ["sm_80", "sm_90"]

ROUND = "{rn,rz,rm,rp}"
COMPARE = "{eq,ne,lt,le,gt,ge}"
COMPARE_ALL = "{eq,ne,lt,le,gt,ge,lo,ls,hi,hs,equ,neu,ltu,leu,gtu,geu,num,nan}"
WIDTH = {"8": "2", "16": "2", "32": "4", "64": "8", "128": "q"}
KIND = {"f32": "f", "f64": "d", "f16": "h", "bf16": "h", "f16x2": "4", "bf16x2": "4", "tf32": "4", "pred": "p"}


def reg(kind):
    """The operand letter of a type."""
    if kind in KIND:
        return KIND[kind]
    if kind.endswith("x2"):
        return "2" if kind[0] == "e" else "4"
    if kind.endswith("x4"):
        return "4"
    return WIDTH[kind.lstrip("busf")]


CANDIDATES = []


def add(opcode, operands):
    CANDIDATES.append((opcode, operands))


def integer():
    for t in ["u16", "s16", "u32", "s32", "u64", "s64", "u16x2", "s16x2"]:
        r = reg(t)
        for op in ["add", "sub", "min", "max"]:
            add(f"{op}{{,.sat,.relu}}.{t}", [r, r, r])
        for op in ["div", "rem", "mul.lo", "mul.hi"]:
            add(f"{op}.{t}", [r, r, r])
        for op in ["mad.lo", "mad.hi", "mad.hi.sat", "sad"]:
            add(f"{op}.{t}", [r, r, r, r])
        for op in ["abs", "neg"]:
            add(f"{op}.{t}", [r, r])
        for op in ["add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc"]:
            add(f"{op}.{t}", [r, r, r])
        for op in ["mad.lo.cc", "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"]:
            add(f"{op}.{t}", [r, r, r, r])
        if t in ["u16", "s16", "u32", "s32"]:
            wide = "4" if r == "2" else "8"
            add(f"mul.wide.{t}", [wide, r, r])
            add(f"mad.wide.{t}", [wide, r, r, wide])
        add(f"mul24.{{lo,hi}}.{t}", [r, r, r])
        add(f"mad24.{{lo,hi,hi.sat}}.{t}", [r, r, r, r])
        add(f"bfind{{,.shiftamt}}.{t}", ["4", r])
        add(f"bfe.{t}", [r, r, "4", "4"])
        add(f"szext.{{clamp,wrap}}.{t}", [r, r, "4"])
    for t in ["b16", "b32", "b64"]:
        r = reg(t)
        for op in ["popc", "clz"]:
            add(f"{op}.{t}", ["4", r])
        for op in ["brev", "not", "cnot"]:
            add(f"{op}.{t}", [r, r])
        for op in ["and", "or", "xor"]:
            add(f"{op}.{t}", [r, r, r])
        add(f"bfi.{t}", [r, r, r, "4", "4"])
        add(f"fns.{t}", ["4", "4", "4", "4"])
    for t in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"]:
        r = reg(t)
        add(f"shl.{t}", [r, r, "4"])
        add(f"shr.{t}", [r, r, "4"])
    add("{and,or,xor}.pred", ["p", "p", "p"])
    add("{not,mov}.pred", ["p", "p"])
    add("bmsk.{clamp,wrap}.b32", ["4", "4", "4"])
    add("shf.{l,r}.{wrap,clamp}.b32", ["4", "4", "4", "4"])
    add("prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", ["4", "4", "4", "4"])
    add("lop3.b32", ["4", "4", "4", "4", "'0xe8'"])
    add("lop3.{or,and}.b32", ["P", "4", "4", "4", "'0xe8'", "p"])
    add("lop3.{or,and}.b32", ["'_|%p1'", "4", "4", "4", "'0xe8'", "'!%p2'"])
    for a in ["u32", "s32"]:
        for b in ["u32", "s32"]:
            add(f"dp4a.{a}.{b}", ["4", "4", "4", "4"])
            add(f"dp2a.{{lo,hi}}.{a}.{b}", ["4", "4", "4", "4"])
    add("clmad{,.lo,.hi}.u64", ["8", "8", "8", "8"])


def floating():
    for t in ["f32", "f64", "f16", "bf16", "f16x2", "bf16x2"]:
        r = reg(t)
        ops = ["add", "sub", "mul"]
        for op in ops:
            add(f"{op}{{,.rn,.rz,.rm,.rp}}{{,.ftz}}{{,.sat}}.{t}", [r, r, r])
        rounding = "{,.rn,.rz,.rm,.rp}" if t in ["f32", "f64"] else ".rn"
        for op in ["fma", "mad"]:
            add(f"{op}{rounding}{{,.ftz}}{{,.sat,.relu}}.{t}", [r, r, r, r])
        add(f"fma.rn.oob{{,.relu}}.{t}", [r, r, r, r])
        add(f"div{{,.rn,.rz,.rm,.rp,.approx,.full}}{{,.ftz}}.{t}", [r, r, r])
        for op in ["rcp", "sqrt"]:
            add(f"{op}{{,.rn,.rz,.rm,.rp,.approx}}{'' if t == 'f64' else '{,.ftz}'}.{t}", [r, r])
        add("rcp.approx.ftz.f64", ["d", "d"])
        for op in ["rsqrt", "sin", "cos", "lg2", "ex2", "tanh"]:
            add(f"{op}{{,.approx}}{{,.ftz}}.{t}", [r, r])
        for op in ["min", "max"]:
            add(f"{op}{{,.ftz}}{{,.NaN}}{{,.xorsign.abs}}.{t}", [r, r, r])
        for op in ["abs", "neg"]:
            add(f"{op}{{,.ftz}}.{t}", [r, r])
        add(f"copysign.{t}", [r, r, r])
        add(f"testp.{{finite,infinite,number,notanumber,normal,subnormal}}.{t}", ["p", r])


def comparing():
    for t in ["b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"]:
        r = reg(t)
        for logic in ["", ".and", ".or", ".xor"]:
            rest = ["p"] if logic else []
            pair = "P"
            add(f"setp.{COMPARE_ALL}{logic}{{,.ftz}}.{t}", [pair, r, r] + rest)
            if not t.endswith("x2"):
                add(f"setp.{COMPARE_ALL}{logic}{{,.ftz}}.{t}", ["p", r, r] + rest)
            for d in ["u32", "s32", "f32", "f16", "bf16", "u16", "s16", "f16x2", "bf16x2"]:
                add(f"set.{COMPARE_ALL}{logic}{{,.ftz}}.{d}.{t}", [reg(d), r, r] + rest)
        add(f"selp.{t}", [r, r, r, "p"])
        for c in ["s32", "f32"]:
            add(f"slct{{,.ftz}}.{t}.{c}", [r, r, r, reg(c)])


def converting():
    ints = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    floats = ["f16", "bf16", "f32", "f64"]
    for to in ints + floats:
        for frm in ints + floats:
            add(f"cvt{{,.rn,.rz,.rm,.rp,.rni,.rzi,.rmi,.rpi,.rna}}{{,.ftz}}{{,.sat}}.{to}.{frm}", [reg(to), reg(frm)])
    # Registers may be wider than the types.
    for to in ["u8", "s8", "u16", "s16"]:
        for frm in ["u32", "s32", "u64", "s64"]:
            add(f"cvt{{,.sat}}.{to}.{frm}", ["4", reg(frm)])
            add(f"cvt{{,.sat}}.{to}.{frm}", ["8", reg(frm)])
    for to in ["u32", "s32", "u64", "s64"]:
        for frm in ["u8", "s8", "u16", "s16"]:
            add(f"cvt.{to}.{frm}", [reg(to), "4"])
            add(f"cvt.{to}.{frm}", [reg(to), "8"])
    for to in ["f16", "bf16"]:
        add(f"cvt.{{rn,rz,rs}}{{,.relu}}{{,.satfinite}}.{to}.f32", ["h", "f"])
    for to in ["f16x2", "bf16x2"]:
        add(f"cvt.{{rn,rz}}{{,.relu}}{{,.satfinite}}.{to}.f32", ["4", "f", "f"])
    add("cvt.{rna,rn,rz}{,.relu}{,.satfinite}.tf32.f32", ["4", "f"])
    for to in ["e4m3x2", "e5m2x2"]:
        add(f"cvt.rn.satfinite{{,.relu}}.{to}.f32", ["2", "f", "f"])
        add(f"cvt.rn.satfinite{{,.relu}}.{to}.f16x2", ["2", "4"])
        add(f"cvt.rn{{,.relu}}.f16x2.{to}", ["4", "2"])
    for to in ["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"]:
        if to in ["u16", "s16"]:
            add(f"cvt.pack.sat.{to}.s32", ["4", "4", "4"])
        else:
            add(f"cvt.pack.sat.{to}.s32.b32", ["4", "4", "4", "4"])


SPACES = ["", ".global", ".shared", ".shared::cta", ".local", ".const", ".param", ".param::entry"]
TYPES = ["b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"]


def address(space):
    if space.startswith(".shared"):
        return "s"
    return {"": "a", ".global": "a", ".local": "l", ".const": "k"}.get(space, "'[parameter]'")


def memory():
    orders = ["", ".weak", ".volatile"] + [f".{o}.{s}" for o in ["relaxed", "acquire", "release"] for s in ["cta", "cluster", "gpu", "sys"]]
    orders += [".mmio.relaxed.sys"]
    for space in SPACES:
        where = address(space)
        for t in TYPES:
            r = reg(t)
            for v, w in [("", r), (".v2", "w" + r), (".v4", "W" + r)]:
                add(f"ld{space}{v}.{t}", [w, where])
                add(f"st{space}{v}.{t}", [where, w])
            if space in ["", ".global"]:
                add(f"ldu{space}.{t}", [r, where])
                add(f"ldu{space}.v2.{t}", ["w" + r, where])
                add(f"ldu{space}.v4.{t}", ["W" + r, where])
                add(f"ld.global.nc.{t}", [r, where])
                add(f"ld.global.nc.v2.{t}", ["w" + r, where])
                add(f"ld.global.nc.v4.{t}", ["W" + r, where])
        if space.startswith(".param"):
            continue
        for order in orders:
            add(f"ld{order}{space}.u32", ["4", where])
            add(f"ld{order}{space}.v4.u32", ["W4", where])
            add(f"ld{order}{space}.f64", ["d", where])
            add(f"st{order}{space}.u32", [where, "4"])
            add(f"st{order}{space}.v4.f32", [where, "Wf"])
        for cache in ["ca", "cg", "cs", "lu", "cv", "wb", "wt"]:
            add(f"ld{space}.{cache}.u32", ["4", where])
            add(f"ld{space}.{cache}.v4.f32", ["Wf", where])
            add(f"st{space}.{cache}.u32", [where, "4"])
            add(f"st{space}.{cache}.v4.f32", [where, "Wf"])
            add(f"ld{space}.nc.{cache}.u32", ["4", where])
            add(f"ld{space}.{cache}.nc.u32", ["4", where])
        for l1 in ["", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate"]:
            for l2 in ["", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"]:
                for hint in ["", ".L2::cache_hint"]:
                    rest = ["8"] if hint else []
                    for size in ["", ".L2::64B", ".L2::128B", ".L2::256B"]:
                        add(f"ld{space}{{,.nc}}{l1}{l2}{hint}{size}.v4.u32", ["W4", where] + rest)
                        add(f"ld{space}{{,.nc}}{l1}{l2}{hint}{size}.f32", ["f", where] + rest)
                    add(f"st{space}{l1}{l2}{hint}.v4.u32", [where, "W4"] + rest)
                    add(f"st{space}{l1}{l2}{hint}.f32", [where, "f"] + rest)
    for space in ["", ".global", ".local"]:
        add(f"prefetch{space}.{{L1,L2,L2::evict_last,L2::evict_normal}}", [address(space)])
    add("prefetch{,.const,.param}.tensormap", ["a"])
    add("prefetchu.L1", ["a"])
    add("applypriority{,.global}.L2::evict_normal", ["a", "'128'"])
    add("discard{,.global}.L2", ["a", "'128'"])
    for p in ["evict_last", "evict_normal", "evict_first", "evict_unchanged"]:
        for q in ["", ".L2::evict_first", ".L2::evict_unchanged"]:
            add(f"createpolicy.fractional.L2::{p}{q}.b64", ["8"])
            add(f"createpolicy.fractional.L2::{p}{q}.b64", ["8", "'0.5'"])
            add(f"createpolicy.range{{,.global}}.L2::{p}{q}.b64", ["8", "a", "'0x100'", "'0x1000'"])
    add("createpolicy.cvt.L2.b64", ["8", "8"])
    for space in ["global", "shared", "local", "const", "param", "shared::cta", "shared::cluster", "param::entry"]:
        add(f"cvta{{,.to}}.{space}.u64", ["8", "8"])
        add(f"isspacep.{space}", ["p", "8"])


def moving():
    for t in ["b16", "u16", "s16", "f16", "bf16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64", "b128"]:
        r = {"f16": "h", "bf16": "h"}.get(t, reg(t))
        add(f"mov.{t}", [r, r])
    for part, count, whole, t in [("2", 2, "4", "b32"), ("4", 2, "8", "b64"), ("2", 4, "8", "b64"), ("f", 2, "8", "b64"),
                                  ("8", 2, "q", "b128"), ("4", 4, "q", "b128"), ("d", 2, "q", "b128")]:
        letter = "w" if count == 2 else "W"
        add(f"mov.{t}", [whole, letter + part])
        add(f"mov.{t}", [letter + part, whole])
    add("mov.b32", ["'{_, %rs1}'", "4"])
    add("mov.b64", ["'{%r1, _}'", "8"])
    add("mov.b32", ["4", "f"])
    for t in ["u32", "u64", "b64"]:
        for what in ["shared_variable", "constant_variable", "global_variable", "local_variable", "parameter", "shared_variable+4"]:
            add(f"mov.{t}", ["4" if t == "u32" else "8", f"'{what}'"])
    for special in ["tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x",
                    "nctaid.y", "nctaid.z", "laneid", "warpid", "nwarpid", "smid", "nsmid", "lanemask_eq", "lanemask_le",
                    "lanemask_lt", "lanemask_ge", "lanemask_gt", "clock", "clock_hi", "dynamic_smem_size",
                    "total_smem_size", "aggr_smem_size", "globaltimer_lo", "globaltimer_hi", "envreg0", "envreg31", "pm0",
                    "cluster_ctaid.x", "cluster_nctaid.x", "clusterid.x", "nclusterid.x", "cluster_ctarank",
                    "cluster_nctarank", "reserved_smem_offset_begin", "reserved_smem_offset_end",
                    "reserved_smem_offset_cap", "tid", "current_graph_exec"]:
        add("mov.u32", ["4", f"'%{special}'"])
        add("mov.b32", ["4", f"'%{special}'"])
    for special in ["tid.x", "ctaid.x", "ntid.x", "laneid"]:
        add("mov.u16", ["2", f"'%{special}'"])
        add("cvt.u64.u32", ["8", f"'%{special}'"])
        add("cvt.u16.u32", ["2", f"'%{special}'"])
        add("cvt.rn.f32.u32", ["f", f"'%{special}'"])
        add("add.s32", ["4", f"'%{special}'", f"'%{special}'"])
        add("mul.wide.u32", ["8", f"'%{special}'", "'4'"])
        add("setp.eq.u32", ["p", f"'%{special}'", "'0'"])
    for special in ["clock64", "globaltimer", "gridid", "pm0_64", "current_graph_exec"]:
        add("mov.{u64,b64}", ["8", f"'%{special}'"])
    add("mov.pred", ["p", "'%is_explicit_cluster'"])
    add("mov.u32", ["4", "'WARP_SZ'"])
    add("istypep.{texref,samplerref,surfref}", ["p", "8"])
    add("getctarank{,.shared::cluster}.u32", ["4", "4"])
    add("mapa{,.shared::cluster}.u32", ["4", "4", "4"])


def atomics():
    sems = ["", ".relaxed", ".acquire", ".release", ".acq_rel"]
    scopes = ["", ".cta", ".cluster", ".gpu", ".sys"]
    table = [("add", ["u32", "s32", "u64", "s64", "f32", "f64"]), ("{min,max}", ["u32", "s32", "u64", "s64", "f32", "f64"]),
             ("{and,or,xor}", ["b32", "b64", "u32", "s32"]), ("{inc,dec}", ["u32", "s32", "u64"]),
             ("exch", ["b16", "b32", "b64", "b128", "u32", "s32", "u64", "s64", "f32"]),
             ("add.noftz", ["f16", "bf16", "f16x2", "bf16x2"]), ("{min,max}.noftz", ["f16", "bf16", "f16x2", "bf16x2"])]
    for space in ["", ".global", ".shared", ".shared::cta"]:
        where = address(space)
        for op, types in table:
            for t in types:
                r = reg(t)
                add(f"atom{space}.{op}.{t}", [r, where, r])
                add(f"atom{space}.{op}.{t}", ["'_'", where, r])
                add(f"red{space}.{op}.{t}", [where, r])
        for t in ["b16", "b32", "b64", "b128", "u16", "u32", "s32", "u64", "s64", "f32"]:
            r = reg(t)
            add(f"atom{space}.cas.{t}", [r, where, r, r])
        for sem in sems:
            for scope in scopes:
                add(f"atom{sem}{scope}{space}.add.u32", ["4", where, "4"])
                add(f"atom{sem}{scope}{space}.cas.b64", ["8", where, "8", "8"])
                add(f"red{sem}{scope}{space}.add.f32", [where, "f"])
                add(f"atom{space}{sem}{scope}.exch.b32", ["4", where, "4"])
    for t, vectors in [("f32", "wW"), ("f16x2", "wW"), ("bf16x2", "wW"), ("f16", "wW"), ("bf16", "wW")]:
        for v, w in [("v2", "w"), ("v4", "W")]:
            tail = "" if t == "f32" else ".noftz"
            add(f"atom.global.{v}.{t}.add{tail}", [w + reg(t), "a", w + reg(t)])
            add(f"atom.global.add{tail}.{v}.{t}", [w + reg(t), "a", w + reg(t)])
            add(f"red.global.add{tail}.{v}.{t}", ["a", w + reg(t)])
    add("atom.global.add.L2::cache_hint.u32", ["4", "a", "4", "8"])
    add("atom.global.cas.L2::cache_hint.b32", ["4", "a", "4", "4", "8"])
    add("red.global.add.L2::cache_hint.f32", ["a", "f", "8"])


def warp():
    for mode in ["up", "down", "bfly", "idx"]:
        add(f"shfl.sync.{mode}.b32", ["4", "4", "4", "4", "4"])
        add(f"shfl.sync.{mode}.b32", ["'%r1|%p1'", "4", "4", "4", "4"])
        add(f"shfl.sync.{mode}.b32", ["f", "f", "'1'", "'31'", "'-1'"])
    add("vote.sync.{all,any,uni}.pred", ["p", "p", "4"])
    add("vote.sync.{all,any,uni}.pred", ["p", "'!%p2'", "'0xffffffff'"])
    add("vote.sync.ballot.b32", ["4", "p", "4"])
    for t in ["b32", "b64"]:
        add(f"match.any.sync.{t}", ["4", reg(t), "4"])
        add(f"match.all.sync.{t}", ["4", reg(t), "4"])
        add(f"match.all.sync.{t}", ["'%r1|%p1'", reg(t), "4"])
    add("redux.sync.{add,min,max}.{u32,s32}", ["4", "4", "4"])
    add("redux.sync.{and,or,xor}.b32", ["4", "4", "4"])
    add("redux.sync.{min,max}{,.abs}{,.NaN}.f32", ["f", "f", "4"])
    add("activemask.b32", ["4"])
    add("elect.sync", ["'%r1|%p1'", "4"])
    add("elect.sync", ["'_|%p1'", "'-1'"])
    for b in ["bar", "barrier"]:
        for cta in ["", ".cta"]:
            for aligned in (["", ".aligned"] if b == "barrier" else [""]):
                add(f"{b}{cta}.sync{aligned}", ["'0'"])
                add(f"{b}{cta}.sync{aligned}", ["4", "'64'"])
                add(f"{b}{cta}.arrive{aligned}", ["'1'", "'64'"])
                add(f"{b}{cta}.red.popc{aligned}.u32", ["4", "'0'", "p"])
                add(f"{b}{cta}.red.popc{aligned}.u32", ["4", "'0'", "'64'", "p"])
                add(f"{b}{cta}.red.{{and,or}}{aligned}.pred", ["p", "'0'", "p"])
    add("bar.warp.sync", ["4"])
    add("bar.warp.sync", ["'0xffffffff'"])
    add("barrier.cluster.{arrive,arrive.release,arrive.relaxed,wait,wait.acquire}{,.aligned}", [])
    for s in ["cta", "cluster", "gpu", "sys"]:
        add(f"fence{{,.sc,.acq_rel,.acquire,.release}}.{s}", [])
        add(f"fence.{{acquire,release}}.sync_restrict::shared::{{cta,cluster}}.{s}", [])
        add(f"fence.proxy.tensormap::generic.release.{s}", [])
        add(f"fence.proxy.tensormap::generic.acquire.{s}", ["a", "'128'"])
    add("membar.{cta,gl,sys}", [])
    add("membar.proxy.{alias,async,async.global,async.shared::cta}", [])
    add("fence.proxy.{alias,async,async.global,async.shared::cta,async.shared::cluster}", [])
    add("fence.mbarrier_init.release.cluster", [])
    add("nanosleep.u32", ["4"])
    add("nanosleep.u32", ["'100'"])
    add("pmevent", ["'1'"])
    add("pmevent.mask", ["'3'"])
    add("setmaxnreg.{inc,dec}.sync.aligned.u32", ["'64'"])
    add("griddepcontrol.{launch_dependents,wait}", [])
    add("{brkpt,trap,exit,ret}", [])


def video():
    kinds = ["u32", "s32"]
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]:
        for d, a, b in itertools.product(kinds, kinds, kinds):
            add(f"{op}.{d}.{a}.{b}{{,.sat}}", ["4", "4", "4"])
            add(f"{op}.{d}.{a}.{b}{{,.sat}}.{{add,min,max}}", ["4", "4", "4", "4"])
            add(f"{op}.{d}.{a}.{b}{{,.sat}}", ["4", "'%r2.b1'", "'%r3.h1'"])
            add(f"{op}.{d}.{a}.{b}{{,.sat}}", ["'%r1.b2'", "'%r2.h0'", "'%r3.b3'", "4"])
            add(f"{op}.{d}.{a}.{b}{{,.sat}}", ["'%r1.h1'", "'%r2.b0'", "4", "4"])
    for op in ["vshl", "vshr"]:
        for d, a in itertools.product(kinds, kinds):
            add(f"{op}.{d}.{a}.u32{{,.sat}}.{{clamp,wrap}}", ["4", "4", "4"])
            add(f"{op}.{d}.{a}.u32{{,.sat}}.{{clamp,wrap}}.{{add,min,max}}", ["4", "4", "4", "4"])
            add(f"{op}.{d}.{a}.u32{{,.sat}}.{{clamp,wrap}}", ["'%r1.b1'", "'%r2.h1'", "'%r3.b2'", "4"])
    for d, a, b in itertools.product(kinds, kinds, kinds):
        add(f"vmad.{d}.{a}.{b}{{,.sat}}{{,.shr7,.shr15}}", ["4", "4", "4", "4"])
        add(f"vmad.{d}.{a}.{b}{{,.sat}}{{,.shr7,.shr15}}", ["4", "'-%r2'", "4", "4"])
        add(f"vmad.{d}.{a}.{b}{{,.sat}}{{,.shr7,.shr15}}", ["4", "4", "4", "'-%r4'"])
        add(f"vmad.{d}.{a}.{b}.po{{,.sat}}{{,.shr7,.shr15}}", ["4", "4", "4", "4"])
        add(f"vmad.{d}.{a}.{b}{{,.sat}}", ["4", "'%r2.h1'", "'%r3.h0'", "4"])
    for a, b in itertools.product(kinds, kinds):
        add(f"vset.{a}.{b}.{COMPARE}", ["4", "4", "4"])
        add(f"vset.{a}.{b}.{COMPARE}.{{add,min,max}}", ["4", "4", "4", "4"])
        add(f"vset.{a}.{b}.{COMPARE}", ["'%r1.b1'", "'%r2.h1'", "'%r3.b0'", "4"])
    for n, masks in [("2", ["h0", "h1", "h10"]), ("4", ["b0", "b31", "b3210"])]:
        pick = "h32" if n == "2" else "b7531"
        for op in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"]:
            for d, a, b in itertools.product(kinds, kinds, kinds):
                add(f"{op}{n}.{d}.{a}.{b}{{,.sat}}", ["4", "4", "4", "4"])
                add(f"{op}{n}.{d}.{a}.{b}.add", ["4", "4", "4", "4"])
                for m in masks:
                    add(f"{op}{n}.{d}.{a}.{b}{{,.sat}}", [f"'%r1.{m}'", f"'%r2.{pick}'", "4", "4"])
        for a, b in itertools.product(kinds, kinds):
            add(f"vset{n}.{a}.{b}.{COMPARE}", ["4", "4", "4", "4"])
            add(f"vset{n}.{a}.{b}.{COMPARE}.add", ["4", "4", "4", "4"])
            add(f"vset{n}.{a}.{b}.{COMPARE}", [f"'%r1.{masks[1]}'", f"'%r2.{pick}'", "4", "4"])


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


def expand(pattern):
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [[p] if i % 2 == 0 else p.split(",") for i, p in enumerate(parts)]
    for combination in itertools.product(*choices):
        text = "".join(combination)
        yield re.sub(r"\.+", ".", text)


STEMS = {"2": "%rs", "h": "%h", "4": "%r", "8": "%rd", "f": "%f", "d": "%fd", "q": "%q", "p": "%p"}


def operand(letter, number):
    if letter.startswith("'"):
        return letter[1:-1]
    if letter == "P":
        return "%p1|%p2"
    if letter == "a":
        return "[%rd9]"
    if letter in "skl":
        return {"s": "[shared_variable]", "k": "[constant_variable]", "l": "[local_variable]"}[letter]
    if letter[0] in "wW" and len(letter) == 2:
        count = 2 if letter[0] == "w" else 4
        return "{" + ", ".join(f"{STEMS[letter[1]]}{i + 1}" for i in range(count)) + "}"
    return f"{STEMS[letter]}{number}"


HEADER = """.version 8.8
.target TARGET
.address_size 64
.global .align 16 .b8 global_variable[256];
.const .align 16 .b8 constant_variable[256];
"""
DECLARATIONS = """{
.reg .pred %p<9>;
.reg .b16 %rs<9>;
.reg .b16 %h<9>;
.reg .b32 %r<10>;
.reg .b64 %rd<10>;
.reg .f32 %f<9>;
.reg .f64 %fd<9>;
.reg .b128 %q<9>;
.shared .align 16 .b8 shared_variable[256];
.local .align 16 .b8 local_variable[256];
"""


def accepted(forms, target):
    """Those of the forms that ptxas takes for a target."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write(HEADER.replace("TARGET", target))
        line = HEADER.count("\n") + 1
        lines = {}
        for index, form in enumerate(forms):
            text = f".visible .entry k{index}(.param .align 16 .b8 parameter[64])\n{DECLARATIONS}{form};\nret;\n}}\n"
            lines[line + 1 + DECLARATIONS.count("\n")] = form
            file.write(text)
            line += text.count("\n")
    result = subprocess.run(["ptxas", "-arch", target, "-O0", "--compile-only", "-o", "/dev/null", file.name],
                            capture_output=True, text=True)
    if result.returncode not in (0, 255):  # it broke off: no answer about what it had not come to
        half = len(forms) // 2
        return [] if half == 0 else accepted(forms[:half], target) + accepted(forms[half:], target)
    bad = set()
    for message in result.stderr.splitlines():
        found = re.search(r"line (\d+); (error|fatal)", message)
        if found and int(found.group(1)) in lines:
            bad.add(lines[int(found.group(1))])
    return [form for form in forms if form not in bad]


def all_accepted(forms, target):
    """The same, of any number of forms: some faults end a whole file, or only show once the others are gone."""
    accepted_forms = []
    for begin in range(0, len(forms), 400):
        good = accepted(forms[begin:begin + 400], target)
        for _ in range(100):
            again = accepted(good, target)
            if len(again) == len(good):
                break
            good = again
        accepted_forms += good
    return accepted_forms


def candidates():
    for part in [integer, floating, comparing, converting, memory, moving, atomics, warp, video, matrix, asynchronous]:
        part()
    forms = {}
    for pattern, operands in CANDIDATES:
        for opcode in expand(pattern):
            forms[(opcode + " " + ", ".join(operand(o, i + 1) for i, o in enumerate(operands))).strip()] = None
    return list(forms)


def first_targets(forms):
    print(f"{len(forms)} candidates", file=sys.stderr)
    first = {}
    for target in TARGETS:
        for form in all_accepted([form for form in forms if form not in first], target):
            first[form] = target
    return first


def print_rows(forms, first, head_of):
    rows = {}
    for form in forms:
        if form in first:
            opcode, _, operands = form.partition(" ")
            rows.setdefault(head_of(form, operands), []).append(opcode)
    for head, opcodes in rows.items():
        line = head
        for opcode in opcodes:
            if len(line) + len(opcode) > 118 and line != head:
                print(line)
                line = head
            line += " " + opcode
        print(line)


def version():
    return subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout.splitlines()[-2]


def list_forms():
    forms = candidates()
    first = first_targets(forms)
    print(f"# The {len(first)} forms that ptxas accepts ({version()}): first target of {', '.join(TARGETS)} | operands |\n"
          "# opcodes. Written by bench/list_ptx_forms.py.")
    print_rows(forms, first, lambda form, operands: f"{first[form]} | {operands} |")


# One form of each family, with as many qualifiers as it takes.
ORDERED = """
ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1,%r2,%r3,%r4}, [shared_variable]
ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1,%r2}, [shared_variable]
stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [shared_variable], {%r1,%r2,%r3,%r4}
movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4}
mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {%r1,%r2}, {%r3}, {%r4}, {%r1,%r2}
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1,%r2}, {%r3}, {%r4}, {%r1,%r2}
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd9]
wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [shared_variable], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}
wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32.satfinite {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2}, {%r1,%r2}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}
ld.relaxed.gpu.global.v2.u32 {%r1,%r2}, [%rd9]
ld.volatile.global.f32 %f1, [%rd9]
ld.global.nc.L1::evict_last.L2::128B.v2.u32 {%r1,%r2}, [%rd9]
ldu.global.v2.u32 {%r1,%r2}, [%rd9]
st.release.gpu.global.v2.u32 [%rd9], {%r1,%r2}
st.global.cs.v4.f32 [%rd9], {%f1,%f2,%f3,%f4}
atom.acq_rel.gpu.global.cas.b32 %r1, [%rd9], %r2, %r3
atom.global.add.noftz.f16x2 %r1, [%rd9], %r2
red.relaxed.gpu.global.add.noftz.f16 [%rd9], %h1
red.global.add.noftz.v2.f16 [%rd9], {%h1,%h2}
shfl.sync.bfly.b32 %r1, %r2, %r3, %r4, %r5
vote.sync.all.pred %p1, %p2, %r1
match.any.sync.b32 %r1, %r2, %r3
redux.sync.add.u32 %r1, %r2, %r3
barrier.cta.red.popc.aligned.u32 %r1, 0, %p1
fence.acq_rel.gpu
cp.async.ca.shared.global.L2::128B [shared_variable], [%rd9], 16
mbarrier.arrive.noComplete.release.cta.shared.b64 %rd1, [shared_variable], 1
mbarrier.test_wait.parity.acquire.cta.shared.b64 %p1, [shared_variable], %r1
cp.async.mbarrier.arrive.noinc.shared.b64 [shared_variable]
prmt.b32.f4e %r1, %r2, %r3, %r4
shf.l.wrap.b32 %r1, %r2, %r3, %r4
lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0xe8, %p2
mad.lo.cc.s32 %r1, %r2, %r3, %r4
mad.hi.sat.s32 %r1, %r2, %r3, %r4
add.sat.s32 %r1, %r2, %r3
add.cc.s32 %r1, %r2, %r3
max.relu.s32 %r1, %r2, %r3
bfind.shiftamt.u32 %r1, %r2
szext.clamp.s32 %r1, %r2, %r3
bmsk.clamp.b32 %r1, %r2, %r3
vadd.s32.u32.s32.sat.add %r1, %r2, %r3, %r4
vshl.s32.u32.u32.sat.clamp %r1, %r2, %r3
vmad.s32.s32.s32.po.sat.shr7 %r1, %r2, %r3, %r4
vset.s32.u32.eq.add %r1, %r2, %r3, %r4
vadd4.s32.u32.s32.sat %r1, %r2, %r3, %r4
add.rn.ftz.sat.f32 %f1, %f2, %f3
fma.rn.ftz.relu.f16x2 %r1, %r2, %r3, %r4
div.approx.ftz.f32 %f1, %f2, %f3
min.ftz.NaN.xorsign.abs.f32 %f1, %f2, %f3
min.ftz.NaN.f32 %f1, %f2, %f3
min.NaN.xorsign.abs.f32 %f1, %f2, %f3
ex2.approx.ftz.f32 %f1, %f2
sin.approx.ftz.f32 %f1, %f2
rsqrt.approx.ftz.f32 %f1, %f2
sqrt.rn.ftz.f32 %f1, %f2
tanh.approx.f32 %f1, %f2
testp.finite.f32 %p1, %f1
setp.eq.and.ftz.f32 %p1, %f1, %f2, %p2
set.eq.and.ftz.u32.f32 %r1, %f1, %f2, %p2
slct.ftz.u32.f32 %r1, %r2, %r3, %f1
cvt.rn.relu.satfinite.f16x2.f32 %r1, %f1, %f2
cvt.rzi.ftz.sat.s32.f32 %r1, %f1
cvt.rn.satfinite.relu.e4m3x2.f32 %rs1, %f1, %f2
cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4
cvta.to.global.u64 %rd1, %rd2
prefetch.global.L2 [%rd9]
createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5
"""
MOST_QUALIFIERS = 4  # of which all orders are tried; of more, each qualifier in each place, and each swap of two


def orders_of(qualifiers):
    if len(qualifiers) <= MOST_QUALIFIERS:
        yield from itertools.permutations(qualifiers)
        return
    for i, j in itertools.product(range(len(qualifiers)), repeat=2):
        moved = list(qualifiers)
        moved.insert(j, moved.pop(i))
        yield tuple(moved)
        swapped = list(qualifiers)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        yield tuple(swapped)


def list_orders():
    original = {}
    for form in ORDERED.strip().splitlines():
        opcode, _, operands = form.partition(" ")
        head, *qualifiers = opcode.split(".")
        for order in orders_of(qualifiers):
            # Of types and of layouts the order has a meaning: a different one is a different instruction.
            if all([q for q in order if kind(q)] == [q for q in qualifiers if kind(q)] for kind in [is_type, is_layout]):
                original.setdefault((".".join((head, *order)) + " " + operands).strip(), opcode)
    first = first_targets(list(original))
    print(f"# {len(first)} orders of qualifiers that ptxas accepts ({version()}): first target of {', '.join(TARGETS)} |\n"
          "# operands | the order of the PTX ISA | its others. Written by bench/list_ptx_forms.py orders.")
    print_rows([form for form in original if form.split(" ")[0] != original[form]], first,
               lambda form, operands: f"{first[form]} | {operands} | {original[form]} |")


def is_layout(qualifier):
    return qualifier in ["row", "col"]


def is_type(qualifier):
    others = ["b1", "s4", "u4", "pred", "tf32", "bf16", "f16x2", "bf16x2", "e4m3x2"]
    return qualifier in others or re.fullmatch(r"[busf](8|16|32|64|128)", qualifier) is not None


def check(paths):
    """How many of the forms ptxas does not take; a different version than wrote them is not asked."""
    wrong = 0
    for path in paths:
        if version() not in open(path, encoding="utf-8").readline():
            print(f"{path}: written by a different version of ptxas than {version()}, so it is not checked")
            continue
        of_target = {}
        for line in open(path, encoding="utf-8"):
            if line.startswith("#"):
                continue
            fields = line.rstrip("\n").split(" |")
            for opcode in fields[-1].split():
                of_target.setdefault(fields[0], []).append((opcode + " " + fields[1].strip()).strip())
        for target, forms in of_target.items():
            good = set(all_accepted(forms, target))
            for form in forms:
                if form not in good:
                    wrong += 1
                    print(f"{path}: ptxas does not take for {target}: {form}")
    return wrong


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["check"]:
        sys.exit(1 if check(arguments[1:]) else 0)
    if arguments == ["orders"]:
        list_orders()
    else:
        list_forms()


main()
