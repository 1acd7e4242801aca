// Finds the row of the instruction table for an instruction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/lower/liveness.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct ResolvedInstruction {
  const IsaRow* row = nullptr;  // null: the simulator does not know it
  OperationModifiers modifiers;
  uint16_t extra = 0;         // for Operation::extra of a general conversion
  bool is_memory = false;     // has a MemorySite
  bool is_matrix = false;     // MemorySite::is_matrix
  bool is_copy = false;       // cp.async: a second site follows, for its write
  bool is_texture = false;    // a texture fetch
  bool is_parameter = false;  // a load of kernel parameters, whose address is known
  bool sees_others = false;   // an atomic or volatile access, which may wait for a different block's write
  bool is_strong = false;     // for a memory instruction: volatile, relaxed and stronger, atomic
  bool takes_stale = false;   // MemorySite::takes_stale
  bool acquires = false, releases = false;
  bool within_block = false;    // MemorySite::within_block
  Space space = Space::global;  // for a memory instruction or address conversion
  bool is_generic = false;      // no state space is given
  bool is_video = false;        // Operation::immediate is `video`
  int64_t video = 0;
  AccessKind kind = AccessKind::load;
  PtxType type;            // for a memory instruction: one element
  FragmentShape fragment;  // for wmma.load, wmma.store
  uint32_t elements = 1;
  uint32_t register_bytes = 0;
};

/// Splits "ld.global.f32" at its dots.
std::vector<std::string_view> parts_of_opcode(std::string_view opcode);

/// Whether a part of an opcode names the state space of shared memory.
bool names_shared_memory(std::string_view part);

ResolvedInstruction resolve(const PtxFunction& function, const PtxInstruction& instruction);

/// The operands' registers, by the row's shape.
RegisterUse register_use(const PtxInstruction& instruction, const IsaRow& row);

/// The parts of a shape before and after its '='.
std::string_view destinations_of(const IsaRow& row);
std::string_view sources_of(const IsaRow& row);

/// Types of a general conversion, in Operation::extra.
uint16_t conversion_code(const PtxType& type);

}  // namespace tilescope
