"""In which orders ptxas takes the qualifiers of an instruction: candidates for list_ptx_forms.py."""
import itertools
import re

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


def is_layout(qualifier):
    return qualifier in ["row", "col"]


def is_type(qualifier):
    others = ["b1", "s4", "u4", "pred", "tf32", "bf16", "f16x2", "bf16x2", "e4m3x2"]
    return qualifier in others or re.fullmatch(r"[busf](8|16|32|64|128)", qualifier) is not None


def candidates():
    """Each order of each form's qualifiers, with the form's own opcode."""
    original = {}
    for form in ORDERED.strip().splitlines():
        opcode, _, operands = form.partition(" ")
        head, *qualifiers = opcode.split(".")
        for order in orders_of(qualifiers):
            # Of types and of layouts the order has a meaning: a different one is a different instruction.
            if all([q for q in order if kind(q)] == [q for q in qualifiers if kind(q)] for kind in [is_type, is_layout]):
                original.setdefault((".".join((head, *order)) + " " + operands).strip(), opcode)
    return original
