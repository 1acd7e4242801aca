// The table of instructions. isa.def has one row per opcode:
//
//   ISA("add.{s32,u32}", "4=44", (Vector2<uint32_t, Add>))
//        opcode           shape   handler
//
// In an opcode {x,y} means either; {,.rn} means an optional part. The shape lists the operands, those that are written
// before the '=':
//
//   p          a predicate                      2 4 8 16=q  an integer register of this many bytes
//   h f d      a floating-point register of 2, 4, 8 bytes (a literal is converted to it)
//   x          a register of any width          w  a vector {…} of registers
//   m          an address                       v  what a memory operation moves: a register or a vector
//   l          a label                          t  a table of labels
//   T          result or source of a texture fetch: {…} or {…}|p, and [object, {coordinates}]
//   F E        a fragment of a matrix: a vector of up to eight registers of 4 bytes, of 8 bytes
//
// Handlers of one family are in one isa/execute_*.cpp, which includes its section of isa.def.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/program/program.hpp"

namespace tilescope {

struct IsaRow {
  std::string_view opcode;
  std::string_view shape;
  Handler run;
};

/// The row of an opcode; modifiers without effect are dropped, and qualifiers may be in any order. Null if the
/// simulator does not know it.
const IsaRow* find_isa_row(std::string_view opcode);

/// Number of opcodes in the table, for tests.
size_t count_isa_opcodes();
/// Opcodes whose meaning depends on the order of their qualifiers, which find_isa_row() would confuse; for tests.
std::vector<std::string> ambiguous_isa_opcodes();

// The families. The implementation is chosen once, for the host's CPU.
std::span<const IsaRow> call_rows();
std::span<const IsaRow> library_rows();
std::span<const IsaRow> integer_rows();
std::span<const IsaRow> bit_rows();
std::span<const IsaRow> compare_rows();
std::span<const IsaRow> float_rows();
std::span<const IsaRow> approximate_rows();
std::span<const IsaRow> half_rows();
std::span<const IsaRow> convert_rows();
std::span<const IsaRow> general_convert_rows();
std::span<const IsaRow> packed_convert_rows();
std::span<const IsaRow> move_rows();
std::span<const IsaRow> video_rows();
std::span<const IsaRow> memory_rows();
std::span<const IsaRow> texture_rows();
std::span<const IsaRow> atomic_rows();
std::span<const IsaRow> warp_rows();
std::span<const IsaRow> control_rows();
std::span<const IsaRow> matrix_rows();
std::span<const IsaRow> barrier_rows();
std::span<const IsaRow> matrix_move_rows();
std::span<const IsaRow> wmma_rows();
std::span<const IsaRow> async_copy_rows();
std::span<const IsaRow> async_wait_rows();
std::span<const IsaRow> mbarrier_rows();

/// The name of the instruction set that the handlers use: "AVX-512", "AVX2", "SSE4".
std::string_view simd_name();

}  // namespace tilescope
