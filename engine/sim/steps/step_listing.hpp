// The instructions of a kernel for display: their text and line, the named registers that they read and write, and how
// to interpret the bits of these.
#pragma once

#include "engine/sim/program/program.hpp"
#include "engine/step_record.hpp"

namespace tilescope {

/// Fills in a record's files, instructions, labels and registers.
void list_instructions(const Program& program, StepRecord& record);

/// Fills in the variables in shared memory that the kernel names; `shared_bytes` is the block's total.
void list_shared(const Program& program, uint64_t shared_bytes, StepRecord& record);

/// Registers that an instruction writes and reads, each listed once; address registers and the guard count as read.
struct StepUse {
  std::vector<uint32_t> reads, writes;
};
std::vector<StepUse> register_uses(const Program& program);

/// "f32", "s32", "b64" …: a fundamental type of PTX, without its dot.
ValueKind value_kind(std::string_view type);

}  // namespace tilescope
