"""Candidates for list_ptx_forms.py: the instructions of one thread and of a warp, as the PTX ISA writes them.

What a candidate is stands in list_ptx_forms.py.
"""
import itertools

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


def candidates():
    del CANDIDATES[:]
    for part in [integer, floating, comparing, converting, memory, moving, atomics, warp, video]:
        part()
    return list(CANDIDATES)
