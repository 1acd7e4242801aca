// The instructions of a kernel as a person reads them: their text and line, the registers that they read and write by
// name, and how the bits of these are to be taken.
#pragma once

#include "engine/sim/program/program.hpp"
#include "engine/step_record.hpp"

namespace tilescope {

/// Fills in a record's files, instructions, labels and registers.
void list_instructions(const Program& program, StepRecord& record);

/// Fills in the variables in shared memory that the kernel names; `shared_bytes` is what a block has in all.
void list_shared(const Program& program, uint64_t shared_bytes, StepRecord& record);

/// Registers that an instruction writes and reads, each once; addresses and the guard among those that it reads.
struct StepUse {
  std::vector<uint32_t> reads, writes;
};
std::vector<StepUse> register_uses(const Program& program);

/// "f32", "s32", "b64" …: a fundamental type of PTX, without its dot.
ValueKind value_kind(std::string_view type);

}  // namespace tilescope
