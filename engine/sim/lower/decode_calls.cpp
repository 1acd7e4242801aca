#include "engine/sim/lower/decode_calls.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "engine/sim/lower/inline_calls.hpp"

namespace tilescope {

Subroutine make_subroutine(const PtxSubroutine& subroutine, uint32_t operation, uint16_t frame_slot) {
  Subroutine made;
  made.operation = operation;
  made.frame_slot = frame_slot;
  made.frame_bytes = static_cast<uint32_t>(subroutine.frame_bytes);
  made.passed_bytes = static_cast<uint32_t>(lay_out_frame(subroutine.results, subroutine.parameters).end);
  made.results = subroutine.results;
  made.parameters = subroutine.parameters;
  made.name = name_in_source(subroutine.name);
  return made;
}

CallSite make_call_site(const PtxCall& call, const PtxFunction& function, const KernelVariables& kernel_variables,
                        uint32_t kernel_bytes) {
  CallSite site;
  site.subroutine = call.subroutine;
  site.caller_bytes =
      call.caller == kNoIndex ? kernel_bytes : static_cast<uint32_t>(function.subroutines[call.caller].frame_bytes);
  for (const auto& result : call.results) site.result_bytes.push_back(result.bytes);
  for (const auto& parameter : call.parameters) site.parameter_bytes.push_back(parameter.bytes);
  const FrameLayout layout = lay_out_frame(site.result_bytes, site.parameter_bytes);
  const auto copies = [&](const std::vector<PtxCall::Argument>& arguments, const std::vector<uint64_t>& offsets) {
    std::vector<CallSite::Copy> list;
    for (size_t i = 0; i < arguments.size(); ++i) {
      uint64_t offset = arguments[i].offset;
      if (call.caller == kNoIndex)
        if (const auto place = kernel_variables.places.find(arguments[i].variable);
            place != kernel_variables.places.end())
          offset = place->second.offset;
      list.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(offsets[i]),
                      static_cast<uint32_t>(arguments[i].bytes)});
    }
    return list;
  };
  site.results = copies(call.results, layout.results);
  site.parameters = copies(call.parameters, layout.parameters);
  return site;
}

void save_registers(const PtxFunction& function, const RegisterSlots& slots, const std::vector<bool>& needed,
                    CallSite& site) {
  for (size_t reg = 0; reg < needed.size(); ++reg) {
    if (!needed[reg]) continue;
    const uint32_t bytes = function.registers[reg].bytes;
    if (bytes == 0) {
      site.saved_predicates.push_back(slots.slot[reg]);
      continue;
    }
    const auto width = static_cast<uint8_t>(bytes < 2 ? 2 : bytes);
    site.saved.push_back({slots.slot[reg], width});
    site.saved_bytes += width;
  }
  site.saved_bytes += static_cast<uint32_t>(site.saved_predicates.size());
}

std::string name_in_source(std::string_view mangled) {
  std::string name(mangled);
  if (!name.starts_with("_Z")) return name;  // "f" is a name, though the demangler would read it as float
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                        std::free);
  return status == 0 && readable != nullptr ? std::string(readable.get()) : name;
}

}  // namespace tilescope
