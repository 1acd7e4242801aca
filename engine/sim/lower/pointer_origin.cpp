#include "engine/sim/lower/pointer_origin.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace tilescope {
namespace {

/// Possible origins of an address: offsets of parameters, or one of these.
constexpr uint32_t kAnywhere = 0xffffffff, kVariable = 0xfffffffe, kWindow = 0xfffffffd;
using Origins = std::set<uint32_t>;

class OriginFinder {
 public:
  OriginFinder(const PtxFunction& function, const std::vector<ResolvedInstruction>& resolved,
               const std::vector<RegisterUse>& uses, const std::vector<uint32_t>& parameter_offsets)
      : function_(function), resolved_(resolved), uses_(uses), origins_(function.registers.size()) {
    for (size_t i = 0; i < function.parameters.size() && i < parameter_offsets.size(); ++i)
      parameters_[function.parameters[i].name] = parameter_offsets[i];
    for (const auto* variables : {&function.local, &function.shared})
      for (const PtxVariable& variable : *variables) windows_.insert(variable.name);
  }

  WrittenMemory run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < function_.instructions.size(); ++i) changed = define(i) || changed;
    }
    for (size_t i = 0; i < function_.instructions.size(); ++i) note_store(i);
    std::sort(written_.parameters.begin(), written_.parameters.end());
    written_.parameters.erase(std::unique(written_.parameters.begin(), written_.parameters.end()),
                              written_.parameters.end());
    return written_;
  }

 private:
  /// Adds the origins of the instruction's result to the registers that it writes.
  bool define(size_t index) {
    const RegisterUse& use = uses_[index];
    if (use.writes.empty()) return false;
    const Origins given = origins_of(index);
    bool changed = false;
    for (uint32_t reg : use.writes) {
      if (function_.registers[reg].bytes == 0) continue;
      for (uint32_t origin : given) changed = origins_[reg].insert(origin).second || changed;
    }
    return changed;
  }

  Origins origins_of(size_t index) const {
    const PtxInstruction& instruction = function_.instructions[index];
    const ResolvedInstruction& resolved = resolved_[index];
    Origins given;
    const bool wide = resolved.type.bytes >= 8;  // narrower than a pointer: an index
    if (resolved.is_parameter) {
      if (wide) add_parameters(instruction.operands[1], resolved, given);
      return given;
    }
    if (resolved.is_memory || instruction.opcode.starts_with("call") || instruction.opcode.starts_with("ld")) {
      if (wide || !resolved.is_memory) given.insert(kAnywhere);
      return given;
    }
    for (uint32_t reg : uses_[index].reads) given.insert(origins_[reg].begin(), origins_[reg].end());
    for (const PtxOperand& operand : instruction.operands) add_name(operand, given);
    return given;
  }

  void add_parameters(const PtxOperand& address, const ResolvedInstruction& resolved, Origins& given) const {
    const auto found = parameters_.find(address.name);
    if (found == parameters_.end()) {
      given.insert(kAnywhere);
      return;
    }
    for (uint32_t i = 0; i < resolved.elements; ++i)
      given.insert(found->second + static_cast<uint32_t>(address.offset) + i * resolved.type.bytes);
  }

  void add_name(const PtxOperand& operand, Origins& given) const {
    if (operand.name.empty() || operand.name.front() == '%') return;
    if (operand.kind != PtxOperand::Kind::name && operand.kind != PtxOperand::Kind::address) return;
    if (parameters_.contains(operand.name))
      given.insert(kAnywhere);  // the address of a parameter, through which pointers may be loaded
    else
      given.insert(windows_.contains(operand.name) ? kWindow : kVariable);
  }

  void note_store(size_t index) {
    const ResolvedInstruction& resolved = resolved_[index];
    const PtxInstruction& instruction = function_.instructions[index];
    const bool copies_out = instruction.opcode.starts_with("cp.") || instruction.opcode.starts_with("call") ||
                            instruction.opcode.starts_with("multimem");
    const bool stores = resolved.is_memory && resolved.kind != AccessKind::load;
    if (!stores || (!resolved.is_generic && resolved.space != Space::global)) {
      // Bulk copies write to global memory in some forms; their addresses are not analysed.
      if (copies_out && instruction.opcode.find(".global.shared") != std::string_view::npos) written_.anywhere = true;
      return;
    }
    Origins from;
    for (const PtxOperand& operand : instruction.operands) {
      if (operand.kind != PtxOperand::Kind::address) continue;
      if (operand.has_register) from.insert(origins_[operand.reg].begin(), origins_[operand.reg].end());
      if (!operand.has_register) add_name(operand, from);
      break;
    }
    bool known = false;
    for (uint32_t origin : from) {
      if (origin == kAnywhere) continue;
      known = true;
      if (origin == kVariable) written_.variables = true;
      if (origin < kWindow) written_.parameters.push_back(origin);
    }
    // Any other loaded value is usually an index.
    if (!known) written_.anywhere = true;
  }

  const PtxFunction& function_;
  const std::vector<ResolvedInstruction>& resolved_;
  const std::vector<RegisterUse>& uses_;
  std::vector<Origins> origins_;  // by register
  std::map<std::string_view, uint32_t> parameters_;
  std::set<std::string_view> windows_;
  WrittenMemory written_;
};

}  // namespace

WrittenMemory find_written_memory(const PtxFunction& function, const std::vector<ResolvedInstruction>& resolved,
                                  const std::vector<RegisterUse>& uses,
                                  const std::vector<uint32_t>& parameter_offsets) {
  return OriginFinder(function, resolved, uses, parameter_offsets).run();
}

}  // namespace tilescope
