#include "engine/sim/lower/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/sim/lower/control_flow.hpp"
#include "engine/sim/lower/decode_calls.hpp"
#include "engine/sim/lower/decode_operands.hpp"
#include "engine/sim/lower/inline_calls.hpp"
#include "engine/sim/lower/left_out.hpp"
#include "engine/sim/lower/liveness.hpp"
#include "engine/sim/lower/pointer_origin.hpp"
#include "engine/sim/lower/resolve.hpp"
#include "engine/sim/lower/variables.hpp"
#include "engine/sim/program/uniform_area.hpp"
#include "engine/sim/ptx/source_lines.hpp"

namespace tilescope {
namespace {

/// Fences and sleep have no effect here, but indicate that blocks wait for each other through plain loads.
bool waits_for_blocks(const PtxInstruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  return opcode.starts_with("nanosleep") || opcode == "membar.gl" || opcode == "membar.sys" ||
         (opcode.starts_with("fence") &&
          (opcode.find(".gpu") != std::string_view::npos || opcode.find(".sys") != std::string_view::npos));
}

/// Instructions, besides atomic and volatile accesses, that a loop waiting for other threads or for time may contain.
bool may_wait(const PtxInstruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode.starts_with("membar") || opcode.starts_with("fence") || opcode.starts_with("nanosleep")) return true;
  if (opcode.starts_with("mbarrier.test_wait") || opcode.starts_with("mbarrier.try_wait")) return true;
  if (opcode.starts_with("call")) return true;
  const auto is_time = [](const PtxOperand& operand) {
    return operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer");
  };
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), is_time);
}

class KernelDecoder {
 public:
  KernelDecoder(std::shared_ptr<const PtxModule> module, const PtxFunction& function, std::shared_ptr<const void> owner)
      : function_(function),
        lines_(function),
        module_variables_(place_module_variables(*module)),
        kernel_variables_(place_kernel_variables(*module, function)),
        program_(std::make_shared<Program>()),
        uniform_(*program_) {
    program_->module = std::move(module);
    program_->function = &function;
    program_->owner = std::move(owner);
  }

  Result<std::shared_ptr<const Program>> run() {
    if (auto resolved = resolve_all(); !resolved) return forward(resolved);
    auto flow = build_control_flow(function_);
    if (!flow) return forward(flow);
    flow_ = std::move(*flow);
    auto slots = assign_slots(function_, flow_, uses_);
    if (!slots) return forward(slots);
    slots_ = std::move(*slots);
    program_->register_slots = slots_.slots;
    program_->predicates = slots_.predicates;
    program_->slot_of_register = slots_.slot;
    operands_.emplace(function_, flow_, slots_, kernel_variables_, module_variables_, *program_, uniform_);
    if (auto placed = place_variables(); !placed) return forward(placed);
    if (auto emitted = emit_all(); !emitted) return forward(emitted);
    link();
    finish();
    return program_;
  }

 private:
  std::string file_name(uint32_t number) const {
    const auto found = program_->module->files.find(number);
    return found == program_->module->files.end() ? std::string() : std::string(found->second);
  }

  /// For a call, the name of the callee.
  static std::string name_of_instruction(const PtxInstruction& instruction) {
    std::string name(instruction.opcode);
    if (!name.starts_with("call")) return name;
    for (const auto& operand : instruction.operands)
      if (operand.kind == PtxOperand::Kind::name) return name + " " + std::string(operand.name);
    return name;
  }

  Result<void> resolve_all() {
    for (const auto& instruction : function_.instructions) {
      resolved_.push_back(resolve(function_, instruction));
      if (resolved_.back().row == nullptr) {
        const SourceLine line = lines_.find(instruction.location);
        const Phrase place = line.line != 0 ? phrase("{}:{}", file_name(line.file), line.line)
                                            : phrase("PTX line {}", instruction.ptx_line);
        if (const auto what = what_is_left_out(instruction.opcode))
          return fail(ErrorId::not_simulated, *what, std::string(instruction.opcode), place);
        return fail(ErrorId::unknown_opcode, name_of_instruction(instruction), place);
      }
      uses_.push_back(register_use(instruction, *resolved_.back().row));
      if (resolved_.back().sees_others || waits_for_blocks(instruction)) program_->one_at_a_time = true;
    }
    return {};
  }

  Result<void> place_variables() {
    constexpr uint64_t kMost = uint64_t{1} << 30;
    if (kernel_variables_.shared_bytes > kMost || kernel_variables_.local_bytes > kMost ||
        kernel_variables_.parameter_bytes > kMost || module_variables_.constant_bytes > kMost)
      return fail(ErrorId::ptx_syntax, 0, "the kernel's variables are too large for the simulator");
    program_->parameter_offsets = kernel_variables_.parameter_offsets;
    program_->parameter_bytes = static_cast<uint32_t>(kernel_variables_.parameter_bytes);
    program_->static_shared_bytes = static_cast<uint32_t>(kernel_variables_.shared_bytes);
    program_->dynamic_shared_offset = static_cast<uint32_t>(kernel_variables_.dynamic_shared_offset);
    for (const auto& [symbol, variable] : kernel_variables_.places)
      if (variable.space == Space::shared)
        program_->shared_variables.push_back({symbol, variable.offset, variable.bytes});
    std::sort(program_->shared_variables.begin(), program_->shared_variables.end(),
              [](const auto& a, const auto& b) { return std::pair(a.first, a.symbol) < std::pair(b.first, b.symbol); });
    program_->stack_offset = static_cast<uint32_t>(kernel_variables_.local_bytes);
    program_->local_bytes = program_->stack_offset + (function_.subroutines.empty() ? 0 : kStackBytes);
    program_->local_checked_bytes = static_cast<uint32_t>(kernel_variables_.local_checked_bytes);
    program_->local_variables = kernel_variables_.local;
    return {};
  }

  Result<void> emit_all() {
    block_begin_.assign(flow_.layout.size() + 1, 0);
    for (uint32_t position = 0; position < flow_.layout.size(); ++position) {
      const BasicBlock& block = flow_.blocks[flow_.layout[position]];
      block_begin_[position] = static_cast<uint32_t>(program_->operations.size());
      for (uint32_t i = block.first; i < block.end; ++i)
        if (auto emitted = emit(i, position); !emitted) return emitted;
      if (auto ended = end_block(block, position); !ended) return ended;
    }
    block_begin_.back() = static_cast<uint32_t>(program_->operations.size());
    return {};
  }

  /// The end of a block that does not fall through to the next one in the layout; it is not an instruction of the
  /// kernel.
  Result<void> end_block(const BasicBlock& block, uint32_t position) {
    const bool empty_end = block.successors.empty() && (block.end == block.first || !ends_with_exit(block));
    if (block.falls_into == kNoIndex && !empty_end) return {};
    if (block.falls_into != kNoIndex && flow_.position[block.falls_into] == position + 1) return {};
    Operation operation;
    operation.run = find_isa_row(empty_end ? "end" : "jump")->run;
    if (!empty_end) operands_->add_jump(flow_.position[block.falls_into]);
    return add(operation, block.end > block.first ? block.end - 1 : 0, 0);
  }

  bool ends_with_exit(const BasicBlock& block) const {
    const PtxInstruction& last = function_.instructions[block.end - 1];
    return last.guard == kNoIndex && (last.opcode.starts_with("ret") || last.opcode.starts_with("exit"));
  }

  Result<void> add(const Operation& operation, uint32_t instruction, uint32_t site) {
    OperationDetail detail;
    detail.instruction = instruction;
    if (instruction < function_.instructions.size()) {
      const SourceLine line = lines_.find(function_.instructions[instruction].location);
      detail.line = line.line;
      detail.file = file_index(line.file);
      const SourceLine origin = lines_.innermost(function_.instructions[instruction].location);
      detail.origin_line = origin.line;
      detail.origin_file = file_index(origin.file);
      if (origin.file != line.file && !is_toolkit_header(program_->files[detail.origin_file])) {
        detail.header_line = detail.origin_line;
        detail.header_file = detail.origin_file;
      }
    }
    program_->operations.push_back(operation);
    program_->operations.back().site = site;
    program_->details.push_back(std::move(detail));
    const bool waits = instruction < resolved_.size() &&
                       (resolved_[instruction].acquires || may_wait(function_.instructions[instruction]));
    waits_before_.push_back(waits_before_.back() + (waits ? 1 : 0));
    return {};
  }

  uint32_t file_index(uint32_t number) {
    const auto [place, added] = files_.try_emplace(number, static_cast<uint32_t>(program_->files.size()));
    if (added) program_->files.push_back(file_name(number));
    return place->second;
  }

  Result<void> emit(uint32_t index, uint32_t position) {
    const ResolvedInstruction& resolved = resolved_[index];
    auto operation = operands_->decode(function_.instructions[index], resolved, position);
    if (!operation) return forward(operation);
    if (const auto call = function_.calls.find(index); call != function_.calls.end()) {
      if (!add_call_site(call->second, index))
        return fail(ErrorId::ptx_syntax, function_.instructions[index].ptx_line,
                    "a call passes an undefined parameter");
      return add(*operation, index, static_cast<uint32_t>(program_->call_sites.size() - 1));
    }
    const uint32_t site = resolved.is_memory ? add_site(resolved, operands_->narrow_address()) : 0;
    if (resolved.is_copy) {
      ResolvedInstruction target = resolved;
      target.space = Space::shared;
      add_site(target, operands_->narrow_target());
    }
    return add(*operation, index, site);
  }

  uint32_t add_site(const ResolvedInstruction& resolved, bool narrow_address) {
    MemorySite site;
    site.operation = static_cast<uint32_t>(program_->operations.size());
    site.space = resolved.space;
    site.kind = resolved.kind;
    site.bytes_per_lane = resolved.type.bytes * resolved.elements;
    site.narrow_address = narrow_address;
    site.is_strong = resolved.is_strong;
    site.takes_stale = resolved.takes_stale;
    site.acquires = resolved.acquires;
    site.releases = resolved.releases;
    site.within_block = resolved.within_block;
    if (resolved.type.bytes != 0 && (resolved.space == Space::shared || resolved.is_generic))
      program_->shared_granule = std::min(program_->shared_granule, resolved.type.bytes);
    site.is_matrix = resolved.is_matrix;
    if (resolved.type.bytes != 0 && (resolved.space == Space::global || resolved.is_generic))
      program_->global_granule = std::min(program_->global_granule, resolved.type.bytes);
    const auto index = static_cast<uint32_t>(program_->sites.size());
    const bool observed = resolved.space == Space::global || resolved.space == Space::shared;
    if (observed && program_->observed_sites.size() < 0xffff) {
      site.observed = static_cast<uint16_t>(program_->observed_sites.size());
      program_->observed_sites.push_back(index);
    }
    program_->sites.push_back(site);
    return index;
  }

  bool add_call_site(const PtxCall& call, uint32_t instruction) {
    program_->call_sites.push_back(make_call_site(call, function_, kernel_variables_, program_->stack_offset));
    if (call.saves) {
      if (live_.empty()) live_ = live_at_begin(function_, flow_, uses_);
      save_registers(function_, slots_, live_behind(function_, flow_, uses_, live_, instruction),
                     program_->call_sites.back());
    }
    const CallSite& site = program_->call_sites.back();
    const auto inside = [&](const CallSite::Copy& copy) { return copy.caller + copy.bytes <= site.caller_bytes; };
    return std::all_of(site.results.begin(), site.results.end(), inside) &&
           std::all_of(site.parameters.begin(), site.parameters.end(), inside);
  }

  /// Branch targets are known once everything is laid out.
  void link() {
    const auto begin_of = [&](size_t entry) { return block_begin_[flow_.position[flow_.entries[entry]]]; };
    program_->subroutine_of.assign(program_->module->functions.size(), kNoIndex);
    for (size_t i = 0; i < function_.subroutines.size(); ++i) {
      const PtxSubroutine& subroutine = function_.subroutines[i];
      program_->subroutine_of[subroutine.function] = static_cast<uint32_t>(i);
      program_->subroutines.push_back(make_subroutine(subroutine, begin_of(i), slots_.slot[subroutine.frame]));
    }
    program_->entry = begin_of(function_.subroutines.size());
    const auto loop_end = [&](uint32_t target, uint32_t from) -> int64_t {
      if (block_begin_[target] > from) return -1;
      const uint32_t last = flow_.loop_end[flow_.layout[target]];
      return last == kNoIndex ? from : std::max(block_begin_[last + 1] - 1, from);
    };
    const auto mark_head = [&](uint32_t target, int64_t end) {
      if (end < 0) return;
      const uint32_t head = block_begin_[target];
      const auto behind = std::min(static_cast<size_t>(end) + 1, waits_before_.size() - 1);
      if (waits_before_[behind] != waits_before_[head]) program_->details[head].waits = true;
    };
    for (const auto& jump : operands_->jumps()) {
      program_->operations[jump.operation].immediate = block_begin_[jump.target];
      program_->details[jump.operation].loop_end = loop_end(jump.target, jump.operation);
      mark_head(jump.target, program_->details[jump.operation].loop_end);
    }
    for (const auto& [operation, targets] : operands_->tables())
      for (uint32_t target : targets) {
        program_->details[operation].targets.push_back({block_begin_[target], loop_end(target, operation)});
        mark_head(target, loop_end(target, operation));
      }
  }

  void finish() {
    uniform_.write();
    program_->written = find_written_memory(function_, resolved_, uses_, program_->parameter_offsets);
    for (uint32_t reg : slots_.at_entry) {
      const uint32_t bytes = function_.registers[reg].bytes;
      if (bytes == 0) program_->entry_predicates.push_back(slots_.slot[reg]);
      for (uint32_t unit = 0; unit < std::max(2U, bytes) * 32 / kSlotBytes && bytes != 0; ++unit)
        program_->entry_slots.push_back(static_cast<uint16_t>(slots_.slot[reg] + unit));
    }
  }

  const PtxFunction& function_;
  SourceLines lines_;
  ModuleVariables module_variables_;
  KernelVariables kernel_variables_;
  std::shared_ptr<Program> program_;
  UniformArea uniform_;
  std::vector<ResolvedInstruction> resolved_;
  std::vector<RegisterUse> uses_;
  ControlFlow flow_;
  RegisterSlots slots_;
  std::vector<uint32_t> block_begin_;         // operation, by position in the layout
  std::vector<uint32_t> waits_before_ = {0};  // by operation: number of preceding operations that may wait for others
  std::map<uint32_t, uint32_t> files_;
  std::optional<OperandDecoder> operands_;
  std::vector<std::vector<bool>> live_;  // at the start of each block, if a call saves registers
};

Result<std::shared_ptr<const Program>> decode_function(const std::shared_ptr<const PtxModule>& module,
                                                       const PtxFunction& function) {
  if (!calls_functions(function)) return KernelDecoder(module, function, nullptr).run();
  auto inlined = inline_calls(*module, function);
  if (!inlined) return forward(inlined);
  return KernelDecoder(module, (*inlined)->function, *inlined).run();
}

}  // namespace

Result<std::shared_ptr<const Program>> decode_kernel(std::shared_ptr<const PtxModule> module,
                                                     const std::string& kernel) {
  std::string known;
  for (const auto& function : module->functions) {
    if (!function.is_entry) continue;
    if (function.name == kernel) return decode_function(module, function);
    known += (known.empty() ? "" : ", ") + std::string(function.name);
  }
  const auto first = module->files.find(1);
  return fail(ErrorId::kernel_not_found, kernel,
              first == module->files.end() ? Phrase("the module") : Phrase(first->second),
              known.empty() ? Phrase("none") : Phrase(known));
}

}  // namespace tilescope
