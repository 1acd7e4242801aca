// Instructions that CUDA C++ has no word for, each under its PTX name (PTX ISA 9.0, the section in brackets).
#pragma once

/// An address in shared memory as PTX takes it: 32 bits, from the start of the CTA's shared memory.
__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Copies 16 bytes from global to shared memory without using registers or the L1. The first `bytes` of them are read,
/// the rest become zero [cp.async].
__device__ inline void cp_async(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
/// The same for one float, through the L1. Its address need not be a multiple of 16.
__device__ inline void cp_async_float(unsigned to, const float* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
/// Makes one group of all copies that the thread has issued since its last commit [cp.async.commit_group].
__device__ inline void cp_async_commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most `PENDING` groups of this thread are still in flight [cp.async.wait_group].
template <int PENDING>
__device__ inline void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/// Asks the L2 for the line at `address`, and does not wait for it [prefetch].
__device__ inline void prefetch_l2(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }

/// Loads four matrices of 8 × 8 halves. Lane l supplies the address of row l % 8 of matrix l / 8, and receives two
/// neighbouring elements from row l / 4 of each matrix [ldmatrix].
__device__ inline void ldmatrix_x4(unsigned (&to)[4], unsigned row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}
/// The same, with each matrix transposed.
__device__ inline void ldmatrix_x4_trans(unsigned (&to)[4], unsigned row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}

/// d += a · b on the tensor cores: a is 16 × 16 halves, b 16 × 8 halves, d 16 × 8 floats, all spread over the 32 lanes
/// of a warp [mma].
__device__ inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// The same for bfloat16 [mma].
__device__ inline void mma_m16n8k16_bf16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// The same for TF32, with half the extent along K: a is 16 × 8 floats, b 8 × 8 [mma].
__device__ inline void mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// A float rounded to TF32, to nearest, ties away from zero [cvt.rna.tf32].
__device__ inline unsigned cvt_rna_tf32(float x) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return rounded;
}

/// 16 bytes from registers to shared memory [st.shared].
__device__ inline void st_shared_v4(unsigned to, uint4 value) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}
/// 4 bytes from shared memory [ld.shared].
__device__ inline unsigned ld_shared(unsigned from) {
  unsigned value;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
  return value;
}

/// tanh to about 2^-11 of it, in one instruction of the special function unit [tanh].
__device__ inline float tanh_approx(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// 2^x to two units in the last place, in one instruction of the special function unit [ex2].
__device__ inline float ex2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// The SM that this thread runs on [%smid].
__device__ inline unsigned multiprocessor_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}
/// Nanoseconds, the same on all SMs; some GPUs update it only once per microsecond [%globaltimer].
__device__ inline unsigned long long global_timer() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}
