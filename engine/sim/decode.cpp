#include "engine/sim/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "engine/sim/control_flow.hpp"
#include "engine/sim/liveness.hpp"
#include "engine/sim/resolve.hpp"
#include "engine/sim/source_lines.hpp"
#include "engine/sim/special_registers.hpp"
#include "engine/sim/uniform_area.hpp"
#include "engine/sim/variables.hpp"

namespace tilescope {
namespace {

class KernelDecoder {
 public:
  KernelDecoder(std::shared_ptr<const PtxModule> module, const PtxFunction& function)
      : function_(function),
        lines_(function),
        module_variables_(place_module_variables(*module)),
        kernel_variables_(place_kernel_variables(*module, function)),
        program_(std::make_shared<Program>()),
        uniform_(*program_) {
    program_->module = std::move(module);
    program_->function = &function;
  }

  Result<std::shared_ptr<const Program>> run() {
    if (auto resolved = resolve_all(); !resolved) return tl::unexpected<Error>(resolved.error());
    auto flow = build_control_flow(function_);
    if (!flow) return tl::unexpected<Error>(flow.error());
    flow_ = std::move(*flow);
    auto slots = assign_slots(function_, flow_, uses_);
    if (!slots) return tl::unexpected<Error>(slots.error());
    slots_ = std::move(*slots);
    program_->register_slots = slots_.slots;
    program_->predicates = slots_.predicates;
    if (auto placed = place_variables(); !placed) return tl::unexpected<Error>(placed.error());
    if (auto emitted = emit_all(); !emitted) return tl::unexpected<Error>(emitted.error());
    link();
    finish();
    return program_;
  }

 private:
  tl::unexpected<Error> syntax(const PtxInstruction& instruction, std::string_view what) const {
    return fail(ErrorId::ptx_syntax, instruction.ptx_line, fmt::format("{} in '{}'", what, instruction.text));
  }

  std::string file_name(uint32_t number) const {
    const auto found = program_->module->files.find(number);
    return found == program_->module->files.end() ? std::string() : std::string(found->second);
  }

  Result<void> resolve_all() {
    for (const auto& instruction : function_.instructions) {
      resolved_.push_back(resolve(function_, instruction));
      if (resolved_.back().row == nullptr) {
        const SourceLine line = lines_.find(instruction.location);
        const std::string place = line.line != 0 ? fmt::format("{}:{}", file_name(line.file), line.line)
                                                 : fmt::format("PTX line {}", instruction.ptx_line);
        return fail(ErrorId::unknown_opcode, instruction.opcode, place);
      }
      uses_.push_back(register_use(instruction, *resolved_.back().row));
      if (resolved_.back().sees_others) program_->one_at_a_time = true;
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
    program_->local_bytes = static_cast<uint32_t>(kernel_variables_.local_bytes);
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

  /// What follows a block if it is not the next one in the layout; neither is an instruction of the kernel.
  Result<void> end_block(const BasicBlock& block, uint32_t position) {
    const bool empty_end = block.successors.empty() && (block.end == block.first || !ends_with_exit(block));
    if (block.falls_into == kNoIndex && !empty_end) return {};
    if (block.falls_into != kNoIndex && flow_.position[block.falls_into] == position + 1) return {};
    Operation operation;
    operation.run = find_isa_row(empty_end ? "end" : "jump")->run;
    if (!empty_end)
      jumps_.push_back({static_cast<uint32_t>(program_->operations.size()), flow_.position[block.falls_into]});
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
    }
    program_->operations.push_back(operation);
    program_->operations.back().site = site;
    program_->details.push_back(std::move(detail));
    return {};
  }

  uint32_t file_index(uint32_t number) {
    const auto [place, added] = files_.try_emplace(number, static_cast<uint32_t>(program_->files.size()));
    if (added) program_->files.push_back(file_name(number));
    return place->second;
  }

  Result<void> emit(uint32_t index, uint32_t position) {
    const PtxInstruction& instruction = function_.instructions[index];
    const ResolvedInstruction& resolved = resolved_[index];
    Operation operation;
    operation.run = resolved.row->run;
    operation.extra = resolved.extra;
    if (instruction.guard != kNoIndex)
      operation.guard = static_cast<uint16_t>(slots_.slot[instruction.guard] * 2 + (instruction.guard_negated ? 1 : 0));
    EmitState state{index, position, operation, 0, 0};
    if (auto done = emit_operands(instruction, resolved, state); !done) return done;
    if (!resolved.is_memory && !state.has_immediate) state.operation.immediate = pack(resolved.modifiers, state.fourth);
    uint32_t site = 0;
    if (resolved.is_memory) site = add_site(resolved);
    return add(state.operation, index, site);
  }

  struct EmitState {
    uint32_t index, position;
    Operation operation;
    uint32_t sources;  // of a, b, c and the fourth, how many are taken
    uint16_t fourth;
    bool has_immediate = false;
    bool moves_vector = false;  // dst, b, c, extra are taken
  };

  Result<void> emit_operands(const PtxInstruction& instruction, const ResolvedInstruction& resolved, EmitState& state) {
    const std::string_view destinations = destinations_of(*resolved.row);
    std::string_view sources = sources_of(*resolved.row);
    const bool clock = resolved.row->opcode.starts_with("clock");
    size_t next = 0;
    for (char kind : destinations) {
      if (next >= instruction.operands.size()) return syntax(instruction, "an operand is missing");
      if (auto done = destination(instruction, resolved, instruction.operands[next++], kind, state); !done) return done;
    }
    while (!sources.empty()) {
      const char kind = sources[0];
      const bool optional = sources.size() > 1 && sources[1] == '?';
      sources.remove_prefix(optional ? 2 : 1);
      PtxOperand missing;
      missing.kind = PtxOperand::Kind::integer;
      if (next >= instruction.operands.size() && !optional) return syntax(instruction, "an operand is missing");
      const PtxOperand& operand = next < instruction.operands.size() ? instruction.operands[next++] : missing;
      if (auto done = source(instruction, resolved, operand, kind, state); !done) return done;
    }
    // A cache policy may follow; it makes no difference here.
    if (next < instruction.operands.size() && !clock && !resolved.is_memory)
      return syntax(instruction, "there are too many operands");
    if (instruction.opcode.starts_with("cvta") && resolved.space != Space::global)
      state.operation.b = uniform_.constant(window_of(resolved.space), 8);
    return uniform_.full() ? syntax(instruction, "there are too many constants") : Result<void>{};
  }

  static uint32_t bytes_of(char kind, const PtxInstruction&) {
    switch (kind) {
      case '2':
      case 'h':
        return 2;
      case '4':
      case 'f':
        return 4;
      case 'q':
        return 16;
      default:
        return 8;
    }
  }

  Result<void> destination(const PtxInstruction& instruction, const ResolvedInstruction& resolved,
                           const PtxOperand& operand, char kind, EmitState& state) {
    if (kind == 'v' || kind == 'w') return vector_operand(instruction, resolved, operand, kind, true, state);
    const PtxOperand* first = &operand;
    if (operand.kind == PtxOperand::Kind::pair) {
      first = &operand.elements[0];
      auto second = predicate(instruction, operand.elements[1]);
      if (!second) return tl::unexpected<Error>(second.error());
      state.operation.extra = static_cast<uint16_t>(*second / 2);
    }
    if (kind == 'p') {
      auto place = predicate(instruction, *first);
      if (!place) return tl::unexpected<Error>(place.error());
      state.operation.dst = static_cast<uint16_t>(*place / 2);
      return {};
    }
    const uint32_t bytes = kind == 'x' ? resolved.modifiers.destination_bytes : bytes_of(kind, instruction);
    auto slot = register_slot(instruction, *first, bytes, true);
    if (!slot) return tl::unexpected<Error>(slot.error());
    state.operation.dst = *slot;
    return {};
  }

  /// The slot of a register operand, or of a place for what nobody wants.
  Result<uint16_t> register_slot(const PtxInstruction& instruction, const PtxOperand& operand, uint32_t bytes,
                                 bool may_be_sink) {
    if (operand.kind == PtxOperand::Kind::sink && may_be_sink) return waste_slot();
    if (operand.kind != PtxOperand::Kind::reg) return syntax(instruction, "an operand should be a register");
    if (std::max(2U, function_.registers[operand.reg].bytes) != bytes || function_.registers[operand.reg].bytes == 0)
      return syntax(instruction, "a register has another width than its instruction");
    return slots_.slot[operand.reg];
  }

  uint16_t waste_slot() {
    if (!waste_) {
      waste_ = static_cast<uint16_t>(program_->register_slots);
      program_->register_slots += 4;
    }
    return *waste_;
  }

  /// A predicate operand: its index · 2 + negated.
  Result<uint16_t> predicate(const PtxInstruction& instruction, const PtxOperand& operand) const {
    if (operand.kind == PtxOperand::Kind::sink) return uint16_t{0};
    if (operand.kind == PtxOperand::Kind::integer) return static_cast<uint16_t>(operand.bits != 0 ? 0 : 1);
    if (operand.kind != PtxOperand::Kind::reg || function_.registers[operand.reg].bytes != 0)
      return syntax(instruction, "an operand should be a predicate");
    return static_cast<uint16_t>(slots_.slot[operand.reg] * 2 + (operand.negated ? 1 : 0));
  }

  Result<void> source(const PtxInstruction& instruction, const ResolvedInstruction& resolved, const PtxOperand& operand,
                      char kind, EmitState& state) {
    switch (kind) {
      case 'l':
        return label(instruction, operand, state);
      case 't':
        return table(operand, state);
      case 'm':
        return address(instruction, resolved, operand, state);
      case 'v':
      case 'w':
        return vector_operand(instruction, resolved, operand, kind, false, state);
      case 'p': {
        auto place = predicate(instruction, operand);
        if (!place) return tl::unexpected<Error>(place.error());
        return put_source(instruction, *place, state);
      }
      default: {
        auto slot = value_slot(instruction, resolved, operand, kind);
        if (!slot) return tl::unexpected<Error>(slot.error());
        return put_source(instruction, *slot, state);
      }
    }
  }

  Result<void> put_source(const PtxInstruction& instruction, uint16_t slot, EmitState& state) const {
    Operation& operation = state.operation;
    if (state.sources < 3)
      (state.sources == 0 ? operation.a : state.sources == 1 ? operation.b : operation.c) = slot;
    else if (state.sources == 3)
      state.fourth = slot;
    else
      return syntax(instruction, "there are too many operands");
    ++state.sources;
    return {};
  }

  Result<uint16_t> value_slot(const PtxInstruction& instruction, const ResolvedInstruction& resolved,
                              const PtxOperand& operand, char kind) {
    const uint32_t bytes = kind == 'x' ? resolved.modifiers.source_bytes : bytes_of(kind, instruction);
    return value_slot(instruction, operand, bytes,
                      kind == 'f' || kind == 'd' || (kind == 'x' && resolved.type.is_float));
  }

  Result<uint16_t> value_slot(const PtxInstruction& instruction, const PtxOperand& operand, uint32_t bytes,
                              bool is_float) {
    switch (operand.kind) {
      case PtxOperand::Kind::reg:
        if (operand.negated) return syntax(instruction, "only a predicate can be negated");
        return register_slot(instruction, operand, bytes, false);
      case PtxOperand::Kind::integer:
        if (is_float) return syntax(instruction, "an operand should be a floating-point number");
        return uniform_.constant(operand.bits, bytes);
      case PtxOperand::Kind::real:
        return uniform_.constant(real_bits(operand, bytes), bytes);
      case PtxOperand::Kind::name:
        return named_slot(instruction, operand, bytes);
      default:
        return syntax(instruction, "an operand is not understood");
    }
  }

  static uint64_t real_bits(const PtxOperand& operand, uint32_t bytes) {
    if (bytes == 8 && operand.single)
      return std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(operand.bits))});
    if (bytes == 4 && !operand.single)
      return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    return operand.bits;
  }

  /// A special register, or the address of a variable.
  Result<uint16_t> named_slot(const PtxInstruction& instruction, const PtxOperand& operand, uint32_t bytes) {
    if (operand.name == "WARP_SZ") return uniform_.constant(32, bytes);
    if (const auto* special = find_special_register(operand.name)) {
      if (special->bytes != bytes) return syntax(instruction, "a special register has another width");
      return special_slot(*special);
    }
    const auto place = find_variable(operand.name);
    if (!place) return syntax(instruction, fmt::format("'{}' is not declared", operand.name));
    const uint64_t base = place->space == Space::global ? kModuleWindow : 0;
    return uniform_.constant(base + place->offset + static_cast<uint64_t>(operand.offset), bytes);
  }

  uint16_t special_slot(const SpecialRegisterInfo& special) {
    for (const auto& known : program_->specials)
      if (known.name == special.id) return known.slot;
    uint16_t slot = 0;
    if (special.by_warp) {
      slot = static_cast<uint16_t>(program_->register_slots);
      program_->register_slots += 2;
    } else {
      slot = uniform_.reserve(special.bytes);
    }
    program_->specials.push_back({special.id, slot});
    return slot;
  }

  std::optional<VariablePlace> find_variable(std::string_view name) const {
    for (const auto* places : {&kernel_variables_.places, &module_variables_.places})
      if (const auto found = places->find(name); found != places->end()) return found->second;
    return std::nullopt;
  }

  Result<void> label(const PtxInstruction& instruction, const PtxOperand& operand, EmitState& state) {
    const auto found = function_.labels.find(operand.name);
    if (found == function_.labels.end()) return syntax(instruction, "there is no such label");
    const uint32_t target = flow_.position[block_of(found->second)];
    if (target <= state.position) state.operation.run = find_isa_row("bra.backward")->run;
    jumps_.push_back({static_cast<uint32_t>(program_->operations.size()), target});
    state.has_immediate = true;
    return {};
  }

  Result<void> table(const PtxOperand& operand, EmitState& state) {
    for (std::string_view name : function_.branch_targets.at(operand.name))
      tables_[static_cast<uint32_t>(program_->operations.size())].push_back(
          flow_.position[block_of(function_.labels.at(name))]);
    state.has_immediate = true;
    return {};
  }

  uint32_t block_of(uint32_t instruction) const {
    const auto after = std::upper_bound(flow_.blocks.begin(), flow_.blocks.end(), instruction,
                                        [](uint32_t at, const BasicBlock& block) { return at < block.first; });
    return static_cast<uint32_t>(after - flow_.blocks.begin()) - 1;
  }

  Result<void> address(const PtxInstruction& instruction, const ResolvedInstruction& resolved,
                       const PtxOperand& operand, EmitState& state) {
    if (operand.kind != PtxOperand::Kind::address) return syntax(instruction, "an operand should be an address");
    int64_t offset = operand.offset;
    uint16_t slot = 0;
    if (operand.has_register) {
      narrow_ = function_.registers[operand.reg].bytes == 4;
      auto reg = register_slot(instruction, operand_as_register(operand), narrow_ ? 4 : 8, false);
      if (!reg) return tl::unexpected<Error>(reg.error());
      slot = *reg;
    } else {
      narrow_ = false;
      if (!operand.name.empty()) {
        const auto place = find_variable(operand.name);
        if (!place) return syntax(instruction, fmt::format("'{}' is not declared", operand.name));
        offset += static_cast<int64_t>(place->offset + (place->space == Space::global ? kModuleWindow : 0));
      }
      if (resolved.is_parameter) return parameter(instruction, resolved, static_cast<uint64_t>(offset), state);
      slot = uniform_.constant(0, 8);
    }
    if (resolved.space != Space::global && !resolved.is_generic)
      offset += static_cast<int64_t>(window_of(resolved.space));
    state.operation.immediate = offset;
    state.has_immediate = true;
    if (auto put = put_source(instruction, slot, state); !put) return put;
    return {};
  }

  static PtxOperand operand_as_register(const PtxOperand& address) {
    PtxOperand operand;
    operand.kind = PtxOperand::Kind::reg;
    operand.reg = address.reg;
    return operand;
  }

  /// The elements' values lie one behind the other in the uniform area when a launch begins.
  Result<void> parameter(const PtxInstruction& instruction, const ResolvedInstruction& resolved, uint64_t offset,
                         EmitState& state) {
    if (offset + uint64_t{resolved.type.bytes} * resolved.elements > program_->parameter_bytes)
      return syntax(instruction, "a load is outside of the parameters");
    const uint16_t slot = uniform_.reserve(resolved.register_bytes * resolved.elements);
    for (uint32_t i = 0; i < resolved.elements; ++i)
      program_->parameter_slots.push_back({static_cast<uint16_t>(slot + i * resolved.register_bytes * 32 / kSlotBytes),
                                           static_cast<uint32_t>(offset) + i * resolved.type.bytes,
                                           static_cast<uint8_t>(resolved.type.bytes),
                                           static_cast<uint8_t>(resolved.register_bytes), resolved.type.is_signed});
    return put_source(instruction, slot, state);
  }

  /// Up to four registers in dst, b, c and extra; of mov's {…} source, in b, c, extra and the fourth.
  Result<void> vector_operand(const PtxInstruction& instruction, const ResolvedInstruction& resolved,
                              const PtxOperand& operand, char kind, bool is_destination, EmitState& state) {
    const bool is_vector = operand.kind == PtxOperand::Kind::vector;
    const size_t count = is_vector ? operand.elements.size() : 1;
    if (count == 0 || count > 4 || (kind == 'v' && count != resolved.elements))
      return syntax(instruction, "a vector has the wrong number of elements");
    uint32_t bytes = resolved.register_bytes;
    if (kind == 'w')
      bytes = find_ptx_type(instruction.opcode.substr(instruction.opcode.rfind('.') + 1))->bytes /
              static_cast<uint32_t>(count);
    Operation& operation = state.operation;
    std::array<uint16_t*, 4> fields = {&operation.dst, &operation.b, &operation.c, &operation.extra};
    if (kind == 'w' && !is_destination) fields = {&operation.b, &operation.c, &operation.extra, &state.fourth};
    for (size_t i = 0; i < count; ++i) {
      const PtxOperand& element = is_vector ? operand.elements[i] : operand;
      auto slot = is_destination ? register_slot(instruction, element, bytes, true)
                                 : value_slot(instruction, element, bytes, false);
      if (!slot) return tl::unexpected<Error>(slot.error());
      *fields[i] = *slot;
    }
    return {};
  }

  uint32_t add_site(const ResolvedInstruction& resolved) {
    MemorySite site;
    site.operation = static_cast<uint32_t>(program_->operations.size());
    site.space = resolved.space;
    site.kind = resolved.kind;
    site.bytes_per_lane = resolved.type.bytes * resolved.elements;
    site.narrow_address = narrow_;
    const auto index = static_cast<uint32_t>(program_->sites.size());
    const bool observed = resolved.space == Space::global || resolved.space == Space::shared;
    if (observed && program_->observed_sites.size() < 0xffff) {
      site.observed = static_cast<uint16_t>(program_->observed_sites.size());
      program_->observed_sites.push_back(index);
    }
    program_->sites.push_back(site);
    return index;
  }

  /// Branch targets are known once everything is laid out.
  void link() {
    const auto loop_end = [&](uint32_t target, uint32_t from) -> int64_t {
      if (block_begin_[target] > from) return -1;
      const uint32_t last = flow_.loop_end[flow_.layout[target]];
      return last == kNoIndex ? from : std::max(block_begin_[last + 1] - 1, from);
    };
    for (const auto& jump : jumps_) {
      program_->operations[jump.operation].immediate = block_begin_[jump.target];
      program_->details[jump.operation].loop_end = loop_end(jump.target, jump.operation);
    }
    for (const auto& [operation, targets] : tables_)
      for (uint32_t target : targets)
        program_->details[operation].targets.push_back({block_begin_[target], loop_end(target, operation)});
  }

  void finish() {
    uniform_.write();
    for (uint32_t reg : slots_.at_entry) {
      const uint32_t bytes = function_.registers[reg].bytes;
      if (bytes == 0) program_->entry_predicates.push_back(slots_.slot[reg]);
      for (uint32_t unit = 0; unit < std::max(2U, bytes) * 32 / kSlotBytes && bytes != 0; ++unit)
        program_->entry_slots.push_back(static_cast<uint16_t>(slots_.slot[reg] + unit));
    }
  }

  struct Jump {
    uint32_t operation;
    uint32_t target;  // position in the layout
  };

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
  std::vector<uint32_t> block_begin_;  // operation, by position in the layout
  std::vector<Jump> jumps_;
  std::map<uint32_t, std::vector<uint32_t>> tables_;
  std::map<uint32_t, uint32_t> files_;
  std::optional<uint16_t> waste_;
  bool narrow_ = false;
};

}  // namespace

Result<std::shared_ptr<const Program>> decode_kernel(std::shared_ptr<const PtxModule> module,
                                                     const std::string& kernel) {
  std::string known;
  for (const auto& function : module->functions) {
    if (!function.is_entry) continue;
    if (function.name == kernel) return KernelDecoder(module, function).run();
    known += (known.empty() ? "" : ", ") + std::string(function.name);
  }
  const auto first = module->files.find(1);
  return fail(ErrorId::kernel_not_found, kernel,
              first == module->files.end() ? std::string("the module") : std::string(first->second),
              known.empty() ? "none" : known);
}

}  // namespace tilescope
