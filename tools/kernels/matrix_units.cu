// What a GPU's matrix units do, for tools/compare_matrix.py: layout_* tell which element of a matrix each element of a
// wmma fragment is, mma_* multiply random fragments.
#include <mma.h>

namespace wmma = nvcuda::wmma;

// out[32 · i + lane] is element i of the lane's fragment, of a matrix whose elements count up.
template <class Fragment>
__device__ void write_layout(const Fragment& fragment, float* out) {
  for (int i = 0; i < fragment.num_elements; i++) out[32 * i + threadIdx.x] = static_cast<float>(fragment.x[i]);
}

#define LAYOUT(name, M, N, K, Type, Storage)                                                     \
  extern "C" __global__ void layout_a_##name##_m##M##n##N##k##K(const Storage* in, float* out) { \
    wmma::fragment<wmma::matrix_a, M, N, K, Type, wmma::row_major> fragment;                     \
    wmma::load_matrix_sync(fragment, in, K);                                                     \
    write_layout(fragment, out);                                                                 \
  }                                                                                              \
  extern "C" __global__ void layout_b_##name##_m##M##n##N##k##K(const Storage* in, float* out) { \
    wmma::fragment<wmma::matrix_b, M, N, K, Type, wmma::col_major> fragment;                     \
    wmma::load_matrix_sync(fragment, in, K);                                                     \
    write_layout(fragment, out);                                                                 \
  }
#define LAYOUT_C(name, M, N, K, Type)                                                         \
  extern "C" __global__ void layout_c_##name##_m##M##n##N##k##K(const Type* in, float* out) { \
    wmma::fragment<wmma::accumulator, M, N, K, Type> fragment;                                \
    wmma::load_matrix_sync(fragment, in, N, wmma::mem_row_major);                             \
    write_layout(fragment, out);                                                              \
  }
#define LAYOUTS(name, Type, Storage)      \
  LAYOUT(name, 16, 16, 16, Type, Storage) \
  LAYOUT(name, 32, 8, 16, Type, Storage)  \
  LAYOUT(name, 8, 32, 16, Type, Storage)
#define LAYOUTS_C(name, Type)      \
  LAYOUT_C(name, 16, 16, 16, Type) \
  LAYOUT_C(name, 32, 8, 16, Type)  \
  LAYOUT_C(name, 8, 32, 16, Type)
LAYOUTS(f16, __half, __half)
LAYOUTS(i8, signed char, signed char)
LAYOUT(tf32, 16, 16, 8, wmma::precision::tf32, float)
LAYOUTS_C(f32, float)
LAYOUTS_C(f16, __half)
LAYOUTS_C(i32, int)
LAYOUT_C(f32, 16, 16, 8, float)

// Registers lie one behind the other, 32 lanes each; every block multiplies fragments of its own.
#define MMA(name, opcode, Bits, A, B, C, TypeC, ...)                                              \
  extern "C" __global__ void mma_##name(const Bits* a, const Bits* b, const TypeC* c, TypeC* d) { \
    const int lane = threadIdx.x, block = blockIdx.x;                                             \
    Bits fa[A], fb[B];                                                                            \
    TypeC fc[C];                                                                                  \
    for (int i = 0; i < A; i++) fa[i] = a[(block * A + i) * 32 + lane];                           \
    for (int i = 0; i < B; i++) fb[i] = b[(block * B + i) * 32 + lane];                           \
    for (int i = 0; i < C; i++) fc[i] = c[(block * C + i) * 32 + lane];                           \
    asm volatile("mma.sync.aligned." opcode " " __VA_ARGS__);                                     \
    for (int i = 0; i < C; i++) d[(block * C + i) * 32 + lane] = fc[i];                           \
  }
#define FLOAT_421(name, opcode)                                                                                 \
  MMA(name, opcode, unsigned, 4, 2, 4, float, "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+f"(fc[0]), "+f"(fc[1]), "+f"(fc[2]), "+f"(fc[3])                                                      \
      : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]))
#define FLOAT_214(name, opcode)                                                                     \
  MMA(name, opcode, unsigned, 2, 1, 4, float, "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
      : "+f"(fc[0]), "+f"(fc[1]), "+f"(fc[2]), "+f"(fc[3])                                          \
      : "r"(fa[0]), "r"(fa[1]), "r"(fb[0]))
FLOAT_421(f16_m16n8k16, "m16n8k16.row.col.f32.f16.f16.f32")
FLOAT_214(f16_m16n8k8, "m16n8k8.row.col.f32.f16.f16.f32")
FLOAT_421(bf16_m16n8k16, "m16n8k16.row.col.f32.bf16.bf16.f32")
FLOAT_214(bf16_m16n8k8, "m16n8k8.row.col.f32.bf16.bf16.f32")
FLOAT_421(tf32_m16n8k8, "m16n8k8.row.col.f32.tf32.tf32.f32")
FLOAT_214(tf32_m16n8k4, "m16n8k4.row.col.f32.tf32.tf32.f32")
MMA(half_m16n8k16, "m16n8k16.row.col.f16.f16.f16.f16", unsigned, 4, 2, 2, unsigned,
    "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
    : "+r"(fc[0]), "+r"(fc[1])
    : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]))
MMA(s8_m16n8k32, "m16n8k32.row.col.s32.s8.s8.s32", unsigned, 4, 2, 4, int,
    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
    : "+r"(fc[0]), "+r"(fc[1]), "+r"(fc[2]), "+r"(fc[3])
    : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]))
MMA(u8_m16n8k16, "m16n8k16.row.col.satfinite.s32.u8.s8.s32", unsigned, 2, 1, 4, int,
    "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
    : "+r"(fc[0]), "+r"(fc[1]), "+r"(fc[2]), "+r"(fc[3])
    : "r"(fa[0]), "r"(fa[1]), "r"(fb[0]))
MMA(s4_m16n8k64, "m16n8k64.row.col.s32.s4.u4.s32", unsigned, 4, 2, 4, int,
    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
    : "+r"(fc[0]), "+r"(fc[1]), "+r"(fc[2]), "+r"(fc[3])
    : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]))
MMA(b1_m16n8k256, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", unsigned, 4, 2, 4, int,
    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
    : "+r"(fc[0]), "+r"(fc[1]), "+r"(fc[2]), "+r"(fc[3])
    : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]))
MMA(f64_m8n8k4, "m8n8k4.row.col.f64.f64.f64.f64", double, 1, 1, 2, double, "{%0, %1}, {%2}, {%3}, {%0, %1};"
    : "+d"(fc[0]), "+d"(fc[1])
    : "d"(fa[0]), "d"(fb[0]))
