#include "engine/sim/lower/variables.hpp"

#include <algorithm>

#include "engine/sim/lower/call_graph.hpp"

namespace tilescope {
namespace {

uint64_t align(uint64_t offset, uint64_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

/// Lays variables out in sequence with gaps, so that an overrun of one is noticed.
void place_apart(const std::vector<PtxVariable>& variables, Space space, uint64_t& end,
                 std::unordered_map<std::string_view, VariablePlace>& places) {
  constexpr uint64_t kAlignment = 256;
  for (const auto& variable : variables) {
    if (variable.bytes == 0) continue;
    end = align(end, std::max<uint64_t>(kAlignment, variable.alignment));
    places.try_emplace(variable.name, VariablePlace{space, end, variable.bytes});
    end += variable.bytes + 1;
  }
}

void place_together(const std::vector<PtxVariable>& variables, Space space, uint64_t& end,
                    std::unordered_map<std::string_view, VariablePlace>& places) {
  for (const auto& variable : variables) {
    if (variable.bytes == 0) continue;
    end = align(end, variable.alignment);
    places.try_emplace(variable.name, VariablePlace{space, end, variable.bytes});
    end += variable.bytes;
  }
}

/// The address in an initialiser: of a variable, or of a function.
std::optional<uint64_t> address_of(const PtxModule& module, const ModuleVariables& variables,
                                   const PtxVariable::Relocation& relocation) {
  const auto addend = static_cast<uint64_t>(relocation.addend);
  if (const auto target = variables.places.find(relocation.name); target != variables.places.end()) {
    const bool whole = relocation.generic || target->second.space == Space::global;
    return (whole ? window_of(target->second.space) : 0) + target->second.offset + addend;
  }
  if (const uint32_t function = find_function(module, relocation.name); function != kNoIndex)
    return address_of_function(function) + addend;
  return std::nullopt;
}

/// Places local variables with a gap after each, so that an overrun of one is noticed. Variables that pass values
/// between functions come last and without gaps: only the compiler's own accesses use them.
void place_local(const std::vector<PtxVariable>& list, KernelVariables& variables) {
  uint64_t& end = variables.local_bytes;
  const auto place = [&](const PtxVariable& variable, uint64_t alignment) {
    const uint64_t offset = align(end, alignment);
    variables.places.try_emplace(variable.name, VariablePlace{Space::local, offset, variable.bytes});
    end = offset + variable.bytes;
    return static_cast<uint32_t>(offset);
  };
  for (const auto& variable : list) {
    if (variable.bytes == 0 || variable.is_argument) continue;
    variables.local.push_back(
        {place(variable, std::max(16U, variable.alignment)), static_cast<uint32_t>(variable.bytes)});
    ++end;
  }
  end = align(end, 16);
  variables.local_checked_bytes = end;
  for (const auto& variable : list)
    if (variable.is_argument) place(variable, variable.alignment);
  if (end != variables.local_checked_bytes)
    variables.local.push_back({static_cast<uint32_t>(variables.local_checked_bytes),
                               static_cast<uint32_t>(end - variables.local_checked_bytes), true});
  end = align(end, 16);
}

}  // namespace

uint64_t window_of(Space space) {
  switch (space) {
    case Space::shared:
      return kSharedWindow;
    case Space::local:
      return kLocalWindow;
    case Space::constant:
      return kConstantWindow;
    case Space::param:
      return kParameterWindow;
    case Space::global:
      return kModuleWindow;
  }
  return 0;
}

ModuleVariables place_module_variables(const PtxModule& module) {
  ModuleVariables variables;
  place_apart(module.global, Space::global, variables.global_bytes, variables.places);
  place_apart(module.constant, Space::constant, variables.constant_bytes, variables.places);
  return variables;
}

std::vector<uint8_t> initial_bytes(const PtxModule& module, const ModuleVariables& variables, Space space) {
  const bool constant = space == Space::constant;
  std::vector<uint8_t> bytes(constant ? variables.constant_bytes : variables.global_bytes, 0);
  for (const auto& variable : constant ? module.constant : module.global) {
    const auto place = variables.places.find(variable.name);
    if (place == variables.places.end() || place->second.space != space) continue;
    if (variable.initial.size() > place->second.bytes) continue;
    uint8_t* at = bytes.data() + place->second.offset;
    std::copy(variable.initial.begin(), variable.initial.end(), at);
    for (const auto& relocation : variable.relocations) {
      const auto address = address_of(module, variables, relocation);
      if (!address) continue;
      for (uint32_t i = 0; i < std::min<uint32_t>(relocation.bytes, 8); ++i)
        at[relocation.offset + i] =
            relocation.first_byte + i < 8 ? static_cast<uint8_t>(*address >> (8 * (relocation.first_byte + i))) : 0;
    }
  }
  return bytes;
}

KernelVariables place_kernel_variables(const PtxModule& module, const PtxFunction& function) {
  KernelVariables variables;
  for (const auto& parameter : function.parameters) {
    variables.parameter_bytes = align(variables.parameter_bytes, parameter.alignment);
    variables.parameter_offsets.push_back(static_cast<uint32_t>(variables.parameter_bytes));
    variables.places.try_emplace(parameter.name,
                                 VariablePlace{Space::param, variables.parameter_bytes, parameter.bytes});
    variables.parameter_bytes += parameter.bytes;
  }
  place_together(function.shared, Space::shared, variables.shared_bytes, variables.places);
  place_together(module.shared, Space::shared, variables.shared_bytes, variables.places);
  place_local(function.local, variables);
  variables.dynamic_shared_offset = variables.shared_bytes;
  for (const auto* list : {&module.shared, &function.shared}) {
    for (const auto& variable : *list) {
      if (variable.bytes != 0) continue;
      variables.dynamic_shared_offset =
          std::max(variables.dynamic_shared_offset, align(variables.shared_bytes, std::max(16U, variable.alignment)));
    }
  }
  for (const auto* list : {&module.shared, &function.shared})
    for (const auto& variable : *list)
      if (variable.bytes == 0)
        variables.places.try_emplace(variable.name, VariablePlace{Space::shared, variables.dynamic_shared_offset, 0});
  return variables;
}

}  // namespace tilescope
