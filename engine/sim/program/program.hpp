// A kernel ready to run: the output of lower/decode.cpp for a parsed function.
//
//   operations   one 32-byte record per PTX instruction, in the order of ControlFlow::layout
//   details      data used only by errors, findings and branches of diverged warps, one record per operation
//   sites        the memory instructions that are observed
//
// Registers of a warp are slots of 64 bytes: a 16-bit register takes one, a 32-bit register two, a 64-bit register four
// (32 lanes side by side). A slot number with its top bit set refers to the uniform area, which all warps of a block
// share: constants, kernel parameters and the special registers that are the same for a whole block. Predicates are
// separate 32-bit lane masks; predicate 0 is always true.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/program/written_memory.hpp"
#include "engine/sim/ptx/ast.hpp"
#include "engine/texture.hpp"
#include "engine/trace.hpp"

namespace tilescope {

struct Operation;
struct Warp;
/// Executes one operation for the lanes of a mask (never 0) and returns the next operation.
using Handler = const Operation* (*)(Warp&, const Operation*, uint32_t mask);

constexpr size_t kSlotBytes = 64;
constexpr uint16_t kUniformSlot = 0x8000;

/// The hot record. Fields that an operation does not use are 0.
struct alignas(32) Operation {
  Handler run = nullptr;
  uint16_t dst = 0;              // slot, or predicate index
  uint16_t a = 0, b = 0, c = 0;  // source slots; a predicate source is index · 2 + negated
  uint16_t guard = 0;            // predicate index · 2 + negated; 0: always
  uint16_t extra = 0;            // second destination, or the fourth register of a vector
  uint32_t site = 0;             // for a memory operation: index into Program::sites
  int64_t immediate = 0;         // branch: target; memory: address offset; arithmetic: see OperationModifiers
};
static_assert(sizeof(Operation) == 32);

/// Operation::immediate of arithmetic: the slot of a fourth source in bits 0–15, and the modifiers of the opcode above.
enum class Rounding : uint8_t { nearest_even, zero, minus_infinity, plus_infinity, nearest_away };
enum class Combine : uint8_t { none, conjunction, disjunction, exclusive };
/// The result of `set` if its comparison holds; in Operation::extra.
enum class SetResult : uint8_t { ones, one_f32, one_f16, one_bf16 };
struct OperationModifiers {
  Rounding rounding = Rounding::nearest_even;
  Combine combine = Combine::none;
  bool flush = false;                               // .ftz
  bool saturate = false;                            // .sat
  bool relu = false;                                // .relu
  bool to_integer = false;                          // .rni .rzi .rmi .rpi
  bool saturate_finite = false;                     // .satfinite
  uint8_t destination_bytes = 0, source_bytes = 0;  // register widths of a conversion
};
constexpr int64_t pack(const OperationModifiers& m, uint16_t fourth) {
  const uint64_t flags = (m.flush ? 1U : 0U) | (m.saturate ? 2U : 0U) | (m.relu ? 4U : 0U) | (m.to_integer ? 8U : 0U) |
                         (m.saturate_finite ? 16U : 0U);
  return static_cast<int64_t>(uint64_t{fourth} | static_cast<uint64_t>(m.rounding) << 16 |
                              static_cast<uint64_t>(m.combine) << 20 | flags << 24 |
                              uint64_t{m.destination_bytes} << 32 | uint64_t{m.source_bytes} << 40);
}
constexpr OperationModifiers modifiers_of(const Operation& operation) {
  const auto bits = static_cast<uint64_t>(operation.immediate);
  OperationModifiers m;
  m.rounding = static_cast<Rounding>(bits >> 16 & 15);
  m.combine = static_cast<Combine>(bits >> 20 & 15);
  m.flush = (bits >> 24 & 1) != 0;
  m.saturate = (bits >> 25 & 1) != 0;
  m.relu = (bits >> 26 & 1) != 0;
  m.to_integer = (bits >> 27 & 1) != 0;
  m.saturate_finite = (bits >> 28 & 1) != 0;
  m.destination_bytes = static_cast<uint8_t>(bits >> 32);
  m.source_bytes = static_cast<uint8_t>(bits >> 40);
  return m;
}

struct OperationDetail {
  uint32_t instruction = 0;                   // index into the function's instructions
  uint32_t file = 0;                          // index into Program::files
  uint32_t line = 0;                          // 0: unknown
  uint32_t origin_file = 0, origin_line = 0;  // as in Site
  /// For a function from a header that is not the toolkit's: the line itself, inlined at `line`. 0: none.
  uint32_t header_file = 0, header_line = 0;
  int64_t loop_end = -1;  // for a backward branch: the last operation of the loop it closes
  bool waits = false;     // heads a loop that may wait for other threads' writes
  struct Target {
    uint32_t operation;
    int64_t loop_end;
  };
  std::vector<Target> targets = {};  // for brx.idx
};

/// A memory instruction whose accesses are observed, or only checked (local, constant).
struct MemorySite {
  uint32_t operation = 0;  // index into Program::operations
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  uint32_t bytes_per_lane = 0;
  bool narrow_address = false;  // the address register has 32 bits
  bool is_matrix = false;       // ldmatrix, stmatrix: a lane's address is that of a row of 16 bytes
  uint16_t observed = 0xffff;   // index into Program::observed_sites; 0xffff: not observed
  bool is_strong = false;       // volatile, relaxed and stronger, atomic: does not race with its like
  bool acquires = false;        // makes visible what the writer has published
  bool releases = false;        // publishes what the thread has done, without a fence
  bool takes_stale = false;     // compare-and-swap, minimum and similar: a plain read before it may be out of date
  bool within_block = false;    // for a strong access: its scope is the block, so it does not order different blocks
};

// An asynchronous copy has two sites: it reads global memory at one, and writes shared memory at the other.
inline bool writes_memory(const MemorySite& site) {
  return site.kind == AccessKind::async_copy ? site.space == Space::shared : site.kind != AccessKind::load;
}
inline bool reads_memory(const MemorySite& site) {
  return site.kind == AccessKind::async_copy ? site.space != Space::shared : site.kind != AccessKind::store;
}

/// A special register with its own slot.
enum class SpecialRegister : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  laneid,
  warpid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,  // by warp
  ntid_x,
  ntid_y,
  ntid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  nwarpid,
  dynamic_smem_size,
  total_smem_size,  // by launch
  nsmid,
  zero,
  zero_wide,
  one,
  gridid_low,
  gridid,
  workspace_high,
  workspace_low,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  smid,  // by block
};

struct SpecialSlot {
  SpecialRegister name;
  uint16_t slot;
};

/// A range of parameter bytes that some ld.param reads, spread over 32 lanes in the uniform area.
struct ParameterSlot {
  uint16_t slot;
  uint32_t offset;  // bytes into the parameters
  uint8_t bytes;    // size of the value
  uint8_t register_bytes;
  bool is_signed;
};

/// The data moved by wmma.load and wmma.store: bands of eight rows (for B, columns), each of `depth` steps of four
/// lanes, each lane with `parts` neighbouring elements (isa/execute_matrix_wmma.cpp).
struct FragmentShape {
  enum class Role : uint8_t { a, b, accumulator };
  Role role = Role::a;
  uint8_t bands = 1, depth = 1, parts = 1;
  uint8_t element_bits = 32;
  uint8_t register_bytes = 4;
  bool contiguous = true;  // a lane's elements are neighbours in memory too
};

/// The registers of a matrix instruction: for mma those of D, A, B and C, in this order; a load or store uses only the
/// first row.
struct FragmentOperands {
  std::array<std::array<uint16_t, 8>, 4> slots{};
  std::array<uint8_t, 4> counts{};  // number of registers in each
  FragmentShape shape;              // for a load or store
};

/// The operands of a texture fetch.
struct TextureOperands {
  TextureSpec::Shape shape = TextureSpec::Shape::two;  // the instruction's; linear memory is read as one-dimensional
  bool integer_coordinates = false;
  std::array<uint16_t, 4> results{};      // slots
  std::array<uint16_t, 4> coordinates{};  // slots; the layer first
  uint16_t object = 0;                    // slot of the texture object
  uint16_t resident = 0;                  // index of the predicate that tells whether the texels were resident; 0: none
};

/// A function that is called at run time (lower/inline_calls.hpp).
struct Subroutine {
  uint32_t operation = 0;   // its first operation
  uint16_t frame_slot = 0;  // the register with the offset of its frame in local memory
  uint32_t frame_bytes = 0;
  uint32_t passed_bytes = 0;                  // results and parameters, from the start of the frame
  std::vector<uint64_t> results, parameters;  // bytes of each
  std::string name;                           // as in the source
};

/// A call of a subroutine: what is copied between the frames of caller and callee, and what the caller needs restored.
struct CallSite {
  struct Copy {
    uint32_t caller, callee, bytes;  // offsets in the frames
  };
  struct Register {
    uint16_t slot;
    uint8_t bytes;
  };
  uint32_t subroutine = kNoIndex;  // kNoIndex: through a pointer
  uint32_t caller_bytes = 0;       // size of the caller's frame
  std::vector<uint64_t> result_bytes, parameter_bytes;
  std::vector<Copy> results, parameters;
  std::vector<Register> saved;  // if the call may be recursive
  std::vector<uint16_t> saved_predicates;
  uint32_t saved_bytes = 0;
};

/// A variable in the local memory of a thread.
struct LocalVariable {
  uint32_t offset = 0, bytes = 0;
  bool is_argument = false;  // passes values between functions; counts as written
};

/// Stack size of a thread, for the frames of subroutines. A GPU has 1 KiB unless cudaDeviceSetLimit sets more.
constexpr uint32_t kStackBytes = 64 * 1024;

/// A __shared__ variable of the module; is_used() in shared_names.cpp finds those of the kernel.
struct SharedVariable {
  std::string_view symbol;
  uint64_t first = 0, bytes = 0;  // offsets in the block's shared memory; bytes 0: extern __shared__
};

struct Program {
  std::shared_ptr<const PtxModule> module;
  const PtxFunction* function = nullptr;  // in the module, or in `owner`
  std::shared_ptr<const void> owner;      // owns a function whose calls were inlined

  std::vector<Operation> operations;
  std::vector<OperationDetail> details;
  std::vector<std::string> files;
  std::vector<MemorySite> sites;
  std::vector<uint32_t> observed_sites;     // indices into sites
  std::vector<FragmentOperands> fragments;  // by Operation::extra of the matrix instructions
  std::vector<TextureOperands> textures;    // by Operation::extra of the texture fetches

  uint32_t register_slots = 0;             // per warp
  uint32_t predicates = 1;                 // per warp, with the always-true one
  std::vector<uint16_t> slot_of_register;  // by register of the function; the index for a predicate
  std::vector<uint8_t> uniform;            // initial content of the uniform area
  std::vector<SpecialSlot> specials;
  std::vector<ParameterSlot> parameter_slots;
  std::vector<uint16_t> entry_slots, entry_predicates;  // read before they are written: cleared when a block starts

  std::vector<uint32_t> parameter_offsets;  // offset of each parameter
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_offset = 0;
  std::vector<SharedVariable> shared_variables;  // ascending first
  uint32_t local_bytes = 0;                      // per thread: the kernel's variables, then the stack
  uint32_t local_checked_bytes = 0;              // from the start: bytes for which reads before a write are reported
  uint32_t stack_offset = 0;                     // start of the stack; local_bytes: there is none
  std::vector<LocalVariable> local_variables;
  uint32_t entry = 0;  // the kernel's first operation
  std::vector<Subroutine> subroutines;
  std::vector<CallSite> call_sites;
  std::vector<uint32_t> subroutine_of;  // by function of the module; kNoIndex: none
  uint32_t shared_granule = 4;          // size of the narrowest element moved to or from shared memory, in bytes, at
                                        // most 4
  uint32_t global_granule = 4;          // the same for global memory
  WrittenMemory written;                // memory that is checked for races
  bool one_at_a_time = false;  // blocks may see each other's writes (atomics, fences): run in order on one host thread
                               // (machine/run_blocks.cpp)
};

/// The machine's own windows of the simulated address space (trace.hpp); buffer k has region k + 16.
constexpr uint64_t kSharedWindow = uint64_t{1} << kRegionBits;
constexpr uint64_t kLocalWindow = uint64_t{2} << kRegionBits;
constexpr uint64_t kConstantWindow = uint64_t{3} << kRegionBits;
constexpr uint64_t kModuleWindow = uint64_t{4} << kRegionBits;
constexpr uint64_t kParameterWindow = uint64_t{5} << kRegionBits;
constexpr uint64_t kCodeWindow = uint64_t{6} << kRegionBits;        // addresses of functions
constexpr uint64_t kHeapWindow = uint64_t{7} << kRegionBits;        // returned by malloc
constexpr uint64_t kTextureWindow = uint64_t{8} << kRegionBits;     // texture objects, which are not addresses
constexpr uint64_t kWorkspaceWindow = uint64_t{10} << kRegionBits;  // for a cooperative launch

/// Each function of a module has an address; no function has address 0.
constexpr uint64_t kFunctionSpacing = 128;
constexpr uint64_t address_of_function(uint32_t function) {
  return kCodeWindow + (uint64_t{function} + 1) * kFunctionSpacing;
}

/// Texture object k of a launch.
constexpr uint64_t texture_object(size_t texture) { return kTextureWindow + (uint64_t{texture} + 1) * 64; }

}  // namespace tilescope
