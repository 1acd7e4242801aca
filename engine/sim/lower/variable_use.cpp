#include "engine/sim/lower/variable_use.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace tilescope {
namespace {

using Kind = PtxOperand::Kind;
using VariableOrigins = std::set<size_t>;  // indices of variables

/// One function: the variables whose addresses its registers may hold, and what is done with them.
class FunctionUses {
 public:
  FunctionUses(const PtxFunction& function, const std::unordered_map<std::string_view, size_t>& variables)
      : function_(function), variables_(variables), origins_(function.registers.size()) {}

  void add_to(std::vector<VariableUse>& uses) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const PtxInstruction& instruction : function_.instructions) changed = define(instruction) || changed;
    }
    for (const PtxInstruction& instruction : function_.instructions) note(instruction, uses);
  }

 private:
  static bool is_any(const PtxInstruction& instruction, std::initializer_list<std::string_view> words) {
    const std::string_view word = instruction.opcode.substr(0, instruction.opcode.find('.'));
    return std::find(words.begin(), words.end(), word) != words.end();
  }

  void add(const PtxOperand& operand, VariableOrigins& origins) const {
    const bool in_register = operand.kind == Kind::reg || (operand.kind == Kind::address && operand.has_register);
    if (in_register && operand.reg < origins_.size())
      origins.insert(origins_[operand.reg].begin(), origins_[operand.reg].end());
    if (operand.kind == Kind::name || operand.kind == Kind::address)
      if (const auto found = variables_.find(operand.name); found != variables_.end()) origins.insert(found->second);
    for (const PtxOperand& element : operand.elements) add(element, origins);
  }

  bool give(const PtxOperand& target, const VariableOrigins& origins) {
    bool changed = false;
    if (target.kind == Kind::reg && target.reg < origins_.size())
      for (const size_t origin : origins) changed = origins_[target.reg].insert(origin).second || changed;
    for (const PtxOperand& element : target.elements) changed = give(element, origins) || changed;
    return changed;
  }

  bool define(const PtxInstruction& instruction) {
    if (instruction.operands.size() < 2 || is_any(instruction, {"ld", "ldu", "st", "atom", "red", "call", "cp"}))
      return false;
    VariableOrigins given;
    for (size_t i = 1; i < instruction.operands.size(); ++i) add(instruction.operands[i], given);
    return !given.empty() && give(instruction.operands[0], given);
  }

  void note(const PtxInstruction& instruction, std::vector<VariableUse>& uses) const {
    const bool reads = is_any(instruction, {"ld", "ldu"}), copies = is_any(instruction, {"cp"});
    if (is_any(instruction, {"prefetch", "isspacep", "cvta", "mov"})) return;
    size_t addresses = 0;
    for (const PtxOperand& operand : instruction.operands) {
      const bool is_address = operand.kind == Kind::address;
      const bool from = reads || (copies && addresses > 0);  // a copy names its target first
      if (is_address) ++addresses;
      // A value that is stored or passed on is not tracked further.
      const bool escapes = !is_address && is_any(instruction, {"st", "atom", "call"});
      if (!is_address && !escapes) continue;
      VariableOrigins origins;
      add(operand, origins);
      for (const size_t origin : origins) (is_address && from ? uses[origin].is_read : uses[origin].is_written) = true;
    }
  }

  const PtxFunction& function_;
  const std::unordered_map<std::string_view, size_t>& variables_;
  std::vector<VariableOrigins> origins_;  // by register
};

}  // namespace

std::vector<VariableUse> find_variable_uses(const PtxModule& module, std::string_view kernel) {
  std::vector<VariableUse> uses;
  std::unordered_map<std::string_view, size_t> variables;
  for (const auto* list : {&module.global, &module.constant})
    for (const PtxVariable& variable : *list) {
      variables.try_emplace(variable.name, uses.size());
      uses.push_back({.variable = &variable, .is_constant = list == &module.constant});
    }
  for (const PtxFunction& function : module.functions)
    if (!function.is_entry || function.name == kernel) FunctionUses(function, variables).add_to(uses);
  return uses;
}

}  // namespace tilescope
