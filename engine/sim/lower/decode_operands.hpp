// Converts the operands of one instruction, as described by its row in the instruction table, into fields of an
// Operation.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/result.hpp"
#include "engine/sim/lower/control_flow.hpp"
#include "engine/sim/lower/liveness.hpp"
#include "engine/sim/lower/resolve.hpp"
#include "engine/sim/lower/variables.hpp"
#include "engine/sim/program/special_registers.hpp"
#include "engine/sim/program/uniform_area.hpp"

namespace tilescope {

class OperandDecoder {
 public:
  /// Appends to the program's slots and constants. All arguments must outlive the decoder.
  OperandDecoder(const PtxFunction& function, const ControlFlow& flow, const RegisterSlots& slots,
                 const KernelVariables& kernel_variables, const ModuleVariables& module_variables, Program& program,
                 UniformArea& uniform)
      : function_(function),
        flow_(flow),
        slots_(slots),
        kernel_variables_(kernel_variables),
        module_variables_(module_variables),
        program_(program),
        uniform_(uniform) {}

  /// The next operation of the program; `position` is that of its block in the layout.
  Result<Operation> decode(const PtxInstruction& instruction, const ResolvedInstruction& resolved, uint32_t position);

  /// Whether the address of the last memory operation is a 32-bit register.
  bool narrow_address() const { return narrow_address_; }
  /// The same for the address that an asynchronous copy writes.
  bool narrow_target() const { return narrow_target_; }

  /// Branches to be linked: their targets are positions in the layout.
  struct Jump {
    uint32_t operation, target;
  };
  const std::vector<Jump>& jumps() const { return jumps_; }
  /// The same for tables of targets, by operation.
  const std::map<uint32_t, std::vector<uint32_t>>& tables() const { return tables_; }
  /// The next operation jumps to this position in the layout.
  void add_jump(uint32_t target) { jumps_.push_back({next_operation(), target}); }

 private:
  uint32_t next_operation() const { return static_cast<uint32_t>(program_.operations.size()); }
  tl::unexpected<Error> syntax(std::string_view what) const;
  Result<void> all_operands();
  Result<void> destination(const PtxOperand& operand, char kind);
  Result<void> source(const PtxOperand& operand, char kind);
  Result<void> put_source(uint16_t slot);
  Result<uint16_t> register_slot(const PtxOperand& operand, uint32_t bytes, bool may_be_sink);
  Result<uint16_t> predicate(const PtxOperand& operand) const;
  Result<uint16_t> value_slot(const PtxOperand& operand, uint32_t bytes, bool is_float);
  Result<uint16_t> named_slot(const PtxOperand& operand, uint32_t bytes);
  Result<void> label(const PtxOperand& operand);
  Result<void> table(const PtxOperand& operand);
  Result<void> address(const PtxOperand& operand);
  Result<void> parameter(uint64_t offset);
  Result<void> async_copy();
  Result<void> texture_fetch();
  Result<uint16_t> copy_address(const PtxOperand& operand, Space space, int32_t& offset, bool& narrow);
  Result<void> vector_operand(const PtxOperand& operand, char kind, bool is_destination);
  Result<void> fragment(const PtxOperand& operand, char kind, bool is_destination);
  uint16_t waste_slot();
  uint16_t special_slot(const SpecialRegisterInfo& special);
  std::optional<VariablePlace> find_variable(std::string_view name) const;
  uint32_t block_of(uint32_t instruction) const;

  const PtxFunction& function_;
  const ControlFlow& flow_;
  const RegisterSlots& slots_;
  const KernelVariables& kernel_variables_;
  const ModuleVariables& module_variables_;
  Program& program_;
  UniformArea& uniform_;
  std::vector<Jump> jumps_;
  std::map<uint32_t, std::vector<uint32_t>> tables_;
  std::optional<uint16_t> waste_;

  // State of the current instruction.
  const PtxInstruction* instruction_ = nullptr;
  const ResolvedInstruction* resolved_ = nullptr;
  uint32_t position_ = 0;
  Operation operation_;
  uint32_t sources_ = 0;  // number of used slots among a, b, c and the fourth
  uint16_t fourth_ = 0, fifth_ = 0;
  bool has_immediate_ = false;  // Operation::immediate is a target or an offset
  bool narrow_address_ = false;
  bool narrow_target_ = false;
  uint32_t fragments_ = 0;  // number of its operands so far that are fragments
};

}  // namespace tilescope
