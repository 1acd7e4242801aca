#include "engine/sim/lower/inline_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/sim/lower/call_graph.hpp"
#include "engine/sim/lower/frame_variables.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostInstructions = size_t{1} << 20;

/// A CUDA run time function called in kernels: one instruction of the simulator, between loads of its parameters and
/// the store of its result.
struct LibraryFunction {
  std::string_view name;
  std::string_view opcode;
  std::vector<uint32_t> parameters;  // bytes of each
  uint32_t result = 0;
};
const LibraryFunction* find_library_function(std::string_view name) {
  static const std::vector<LibraryFunction> functions = {{"vprintf", "call vprintf", {8, 8}, 4},
                                                         {"malloc", "call malloc", {8}, 8},
                                                         {"free", "call free", {8}, 0},
                                                         {"__assertfail", "call assertfail", {8, 8, 4, 8, 8}, 0}};
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const auto& function) { return function.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

class Inliner {
 public:
  Inliner(const PtxModule& module, InlinedFunction& result) : module_(module), result_(result), out_(result.function) {}

  Result<void> run(const PtxFunction& kernel) {
    plan_ = plan_calls(module_, kernel);
    out_.name = kernel.name;
    out_.is_entry = kernel.is_entry;
    out_.parameters = kernel.parameters;
    std::copy(std::begin(kernel.max_threads), std::end(kernel.max_threads), out_.max_threads);
    std::copy(std::begin(kernel.required_threads), std::end(kernel.required_threads), out_.required_threads);
    out_.min_blocks = kernel.min_blocks;
    // The kernel's own locations come first: they determine which file is its own.
    out_.locations = kernel.locations;
    for (uint32_t function : plan_.subroutines)
      if (auto added = add_subroutine(function); !added) return added;
    body_ = kNoIndex;
    out_.entry = static_cast<uint32_t>(out_.instructions.size());
    if (auto added = append(kernel, {}, {}, true); !added) return added;
    find_ways_back();
    return {};
  }

 private:
  using Names = std::unordered_map<std::string_view, std::string_view>;

  std::string_view keep(std::string name) { return result_.names.emplace_back(std::move(name)); }

  uint32_t add_register(uint32_t bytes) {
    out_.registers.push_back({bytes});
    return static_cast<uint32_t>(out_.registers.size() - 1);
  }

  Result<void> add_subroutine(uint32_t function) {
    const PtxFunction& source = module_.functions[function];
    body_ = static_cast<uint32_t>(out_.subroutines.size());
    variables_ = FrameVariables();
    PtxSubroutine subroutine;
    subroutine.name = source.name;
    subroutine.function = function;
    subroutine.first = static_cast<uint32_t>(out_.instructions.size());
    subroutine.frame = add_register(8);
    for (const auto& result : source.results) subroutine.results.push_back(result.bytes);
    for (const auto& parameter : source.parameters) subroutine.parameters.push_back(parameter.bytes);
    const FrameLayout layout = lay_out_frame(subroutine.results, subroutine.parameters);
    Names names;
    const auto place = [&](const std::vector<PtxVariable>& list, const std::vector<uint64_t>& offsets) {
      for (size_t i = 0; i < list.size(); ++i) {
        const std::string_view name = keep(fmt::format("{}.frame.{}", list[i].name, body_));
        names[list[i].name] = name;
        variables_.add_at(name, list[i].bytes, offsets[i]);
      }
    };
    place(source.results, layout.results);
    place(source.parameters, layout.parameters);
    variables_.begin_at(layout.end);
    out_.subroutines.push_back(std::move(subroutine));
    out_.labels[keep(fmt::format("{}.entry.{}", source.name, body_))] = out_.subroutines.back().first;

    if (auto appended = append(source, std::move(names), {}, false); !appended) return appended;
    out_.instructions.push_back(make_return({}));
    PtxSubroutine& added = out_.subroutines.back();
    added.frame_bytes = variables_.bytes();
    variables_.resolve(out_, added.first, added.frame);
    return {};
  }

  PtxInstruction make_return(const PtxInstruction& from) const {
    PtxInstruction instruction = from;
    instruction.opcode = "return subroutine";
    instruction.operands = {register_operand(out_.subroutines[body_].frame)};
    return instruction;
  }

  static PtxOperand register_operand(uint32_t reg) {
    PtxOperand operand;
    operand.kind = PtxOperand::Kind::reg;
    operand.reg = reg;
    return operand;
  }

  /// Appends a body. `names` maps its parameters to their names here; returns lead to `end`, if there is one.
  Result<void> append(const PtxFunction& function, Names names, std::string_view end, bool is_kernel) {
    const auto registers = static_cast<uint32_t>(out_.registers.size());
    const auto locations = is_kernel ? 0 : static_cast<uint32_t>(out_.locations.size());
    out_.registers.insert(out_.registers.end(), function.registers.begin(), function.registers.end());
    if (!is_kernel) out_.locations.insert(out_.locations.end(), function.locations.begin(), function.locations.end());
    add_names(function, is_kernel, names);
    std::vector<uint32_t> moved_to;
    for (const auto& original : function.instructions) {
      moved_to.push_back(static_cast<uint32_t>(out_.instructions.size()));
      if (out_.instructions.size() > kMostInstructions)
        return fail(ErrorId::ptx_syntax, original.ptx_line, "the function's calls make it too large");
      PtxInstruction instruction = original;
      move(instruction, registers, locations, names);
      if (is_call(original)) {
        if (auto called = call(std::move(instruction), prototype_of(function, original)); !called) return called;
        continue;
      }
      if (original.opcode == "ret" || original.opcode == "ret.uni") {
        if (!end.empty())
          branch_to(instruction, end);
        else if (!is_kernel)
          instruction = make_return(instruction);
      }
      if (!names.empty()) pass_through_local(instruction, function, is_kernel);
      out_.instructions.push_back(std::move(instruction));
    }
    moved_to.push_back(static_cast<uint32_t>(out_.instructions.size()));
    for (const auto& [label, at] : function.labels) out_.labels[renamed(label, names)] = moved_to[at];
    for (const auto& [table, targets] : function.branch_targets)
      for (std::string_view target : targets)
        out_.branch_targets[renamed(table, names)].push_back(renamed(target, names));
    return {};
  }

  /// Names that a body declares; they are made unique unless the body is the kernel's.
  void add_names(const PtxFunction& function, bool is_kernel, Names& names) {
    for (const auto& variable : function.shared)
      if (std::none_of(out_.shared.begin(), out_.shared.end(),
                       [&](const auto& other) { return other.name == variable.name; }))
        out_.shared.push_back(variable);
    const size_t copy = copies_++;
    for (const auto& variable : function.local) add_local(variable, copy, is_kernel, names);
    for (PtxVariable variable : function.call_params) {
      variable.is_argument = true;
      add_local(variable, copy, is_kernel, names);
    }
    if (is_kernel) return;
    for (const auto& [label, at] : function.labels) names[label] = keep(fmt::format("{}.{}", label, copy));
    for (const auto& [table, targets] : function.branch_targets) names[table] = keep(fmt::format("{}.{}", table, copy));
  }

  /// A variable with the name of one in a different scope of the function shares its offset: they are never in use
  /// together.
  void add_local(const PtxVariable& variable, size_t copy, bool is_kernel, Names& names) {
    const auto known = names.find(variable.name);
    PtxVariable placed = variable;
    placed.name = known != names.end() ? known->second
                  : is_kernel          ? variable.name
                                       : keep(fmt::format("{}.{}", variable.name, copy));
    names[variable.name] = placed.name;
    if (body_ != kNoIndex) return variables_.add(placed);
    const auto same = std::find_if(out_.local.begin(), out_.local.end(),
                                   [&](const auto& other) { return other.name == placed.name; });
    if (same == out_.local.end()) {
      out_.local.push_back(std::move(placed));
    } else {
      same->bytes = std::max(same->bytes, variable.bytes);
      same->alignment = std::max(same->alignment, variable.alignment);
    }
  }

  static std::string_view renamed(std::string_view name, const Names& names) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  }

  static void move(PtxOperand& operand, uint32_t registers, const Names& names) {
    const bool address = operand.kind == PtxOperand::Kind::address;
    if (operand.kind == PtxOperand::Kind::reg || (address && operand.has_register))
      operand.reg += registers;
    else if (operand.kind == PtxOperand::Kind::name || address)
      operand.name = renamed(operand.name, names);
    for (auto& element : operand.elements) move(element, registers, names);
  }

  static void move(PtxInstruction& instruction, uint32_t registers, uint32_t locations, const Names& names) {
    // A callee's name is not a variable or label of the caller.
    const std::string_view callee = is_call(instruction) ? parts_of_call(instruction).callee : std::string_view();
    for (auto& operand : instruction.operands)
      if (callee.empty() || operand.name != callee) move(operand, registers, names);
    if (instruction.guard != kNoIndex) instruction.guard += registers;
    if (instruction.location != kNoIndex) instruction.location += locations;
  }

  static void branch_to(PtxInstruction& instruction, std::string_view label) {
    PtxOperand target;
    target.kind = PtxOperand::Kind::name;
    target.name = label;
    instruction.opcode = "bra";
    instruction.operands = {target};
  }

  /// ld.param and st.param of anything except the kernel's own parameters.
  void pass_through_local(PtxInstruction& instruction, const PtxFunction& function, bool is_kernel) {
    const bool load = instruction.opcode.starts_with("ld.param");
    if ((!load && !instruction.opcode.starts_with("st.param")) || instruction.operands.size() != 2) return;
    const PtxOperand& address = instruction.operands[load ? 1 : 0];
    const bool own = is_kernel && (address.has_register ||
                                   std::any_of(function.parameters.begin(), function.parameters.end(),
                                               [&](const auto& parameter) { return parameter.name == address.name; }));
    std::string_view rest = instruction.opcode.substr(8);
    for (std::string_view part : {"::entry", "::func"})
      if (rest.starts_with(part)) rest.remove_prefix(part.size());
    if (!own) instruction.opcode = keep(fmt::format("{}.local{}", load ? "ld" : "st", rest));
  }

  Result<void> call(PtxInstruction instruction, const PtxPrototype* prototype) {
    const PtxCallParts parts = parts_of_call(instruction);
    if (parts.pointer != nullptr) return call_pointer(std::move(instruction), prototype);
    if (const uint32_t callee = find_function(module_, parts.callee); callee != kNoIndex)
      return plan_.is_copied[callee] ? copy_body(std::move(instruction), module_.functions[callee])
                                     : call_subroutine(std::move(instruction), callee);
    if (const auto* library = find_library_function(parts.callee)) return call_library(instruction, *library);
    out_.instructions.push_back(std::move(instruction));
    return {};
  }

  Result<void> copy_body(PtxInstruction instruction, const PtxFunction& callee) {
    const PtxCallParts parts = parts_of_call(instruction);
    Names names;
    bind(callee.parameters, parts.parameters, names);
    bind(callee.results, parts.results, names);
    const size_t number = copies_;
    const std::string_view begin = keep(fmt::format("{}.begin.{}", parts.callee, number));
    const std::string_view end = keep(fmt::format("{}.end.{}", parts.callee, number));
    // The call itself counts as an instruction; if it is guarded, the other lanes jump past the body.
    branch_to(instruction, begin);
    const bool guarded = instruction.guard != kNoIndex;
    PtxInstruction past = instruction;
    out_.instructions.push_back(std::move(instruction));
    if (guarded) {
      branch_to(past, end);
      past.guard = kNoIndex;
      out_.instructions.push_back(std::move(past));
    }
    out_.labels[begin] = static_cast<uint32_t>(out_.instructions.size());
    if (auto appended = append(callee, std::move(names), end, false); !appended) return appended;
    out_.labels[end] = static_cast<uint32_t>(out_.instructions.size());
    return {};
  }

  static void bind(const std::vector<PtxVariable>& declared, const PtxOperand* given, Names& names) {
    for (size_t i = 0; i < declared.size() && given != nullptr && i < given->elements.size(); ++i)
      names[declared[i].name] = given->elements[i].name;
  }

  /// Start of the calling function's frame: a register, or 0 in the kernel.
  PtxOperand frame_operand() const {
    if (body_ != kNoIndex) return register_operand(out_.subroutines[body_].frame);
    PtxOperand zero;
    zero.kind = PtxOperand::Kind::integer;
    return zero;
  }

  Result<void> call_subroutine(PtxInstruction instruction, uint32_t callee) {
    const PtxCallParts parts = parts_of_call(instruction);
    const PtxFunction& function = module_.functions[callee];
    PtxCall call;
    call.caller = body_;
    // The callee may come later, if the two call each other.
    call.subroutine = static_cast<uint32_t>(std::find(plan_.subroutines.begin(), plan_.subroutines.end(), callee) -
                                            plan_.subroutines.begin());
    std::vector<uint64_t> results, parameters;
    for (const auto& result : function.results) results.push_back(result.bytes);
    for (const auto& parameter : function.parameters) parameters.push_back(parameter.bytes);
    if (!arguments(parts.results, results, call.results) || !arguments(parts.parameters, parameters, call.parameters))
      return fail(ErrorId::ptx_syntax, instruction.ptx_line, "a call does not give what the function takes");
    instruction.opcode = "call subroutine";
    instruction.operands = {frame_operand()};
    return add_call(std::move(instruction), std::move(call));
  }

  Result<void> call_pointer(PtxInstruction instruction, const PtxPrototype* prototype) {
    const PtxCallParts parts = parts_of_call(instruction);
    PtxCall call;
    call.caller = body_;
    if (prototype == nullptr || !arguments(parts.results, prototype->results, call.results) ||
        !arguments(parts.parameters, prototype->parameters, call.parameters))
      return fail(ErrorId::ptx_syntax, instruction.ptx_line, "a call through a pointer does not fit its prototype");
    const PtxOperand pointer = *parts.pointer;
    instruction.opcode = "call pointer";
    instruction.operands = {frame_operand(), pointer};
    return add_call(std::move(instruction), std::move(call));
  }

  static bool arguments(const PtxOperand* given, const std::vector<uint64_t>& bytes,
                        std::vector<PtxCall::Argument>& list) {
    const size_t count = given == nullptr ? 0 : given->elements.size();
    if (count != bytes.size()) return false;
    for (size_t i = 0; i < count; ++i) {
      if (given->elements[i].kind != PtxOperand::Kind::name) return false;
      list.push_back({given->elements[i].name, 0, bytes[i]});
    }
    return true;
  }

  Result<void> add_call(PtxInstruction instruction, PtxCall call) {
    out_.calls.emplace(static_cast<uint32_t>(out_.instructions.size()), std::move(call));
    out_.instructions.push_back(std::move(instruction));
    return {};
  }

  /// The prototype that a call through a pointer names as its last operand.
  static const PtxPrototype* prototype_of(const PtxFunction& function, const PtxInstruction& instruction) {
    if (instruction.operands.empty()) return nullptr;
    const auto found = function.prototypes.find(instruction.operands.back().name);
    return found == function.prototypes.end() ? nullptr : &found->second;
  }

  Result<void> call_library(const PtxInstruction& instruction, const LibraryFunction& library) {
    const PtxCallParts parts = parts_of_call(instruction);
    const size_t given = parts.parameters == nullptr ? 0 : parts.parameters->elements.size();
    if (given != library.parameters.size())
      return fail(ErrorId::ptx_syntax, instruction.ptx_line, "a call does not give what the function takes");
    PtxInstruction run = instruction;
    run.opcode = library.opcode;
    run.operands.clear();
    const bool wanted = library.result != 0 && parts.results != nullptr && parts.results->elements.size() == 1;
    if (library.result != 0) run.operands.push_back(register_operand(add_register(library.result)));
    // An operation has four sources; the last parameter of __assertfail is not used.
    for (size_t i = 0; i < std::min<size_t>(given, 4); ++i) {
      const PtxOperand value = register_operand(add_register(library.parameters[i]));
      add_access(instruction, "ld", library.parameters[i], {value, variable_operand(parts.parameters->elements[i])});
      run.operands.push_back(value);
    }
    const PtxOperand result = library.result != 0 ? run.operands[0] : PtxOperand{};
    out_.instructions.push_back(std::move(run));
    if (wanted) add_access(instruction, "st", library.result, {variable_operand(parts.results->elements[0]), result});
    return {};
  }

  static PtxOperand variable_operand(const PtxOperand& name) {
    PtxOperand operand;
    operand.kind = PtxOperand::Kind::address;
    operand.name = name.name;
    return operand;
  }

  void add_access(const PtxInstruction& call, std::string_view what, uint32_t bytes, std::vector<PtxOperand> operands) {
    PtxInstruction access = call;
    access.opcode = keep(fmt::format("{}.local.b{}", what, bytes * 8));
    access.operands = std::move(operands);
    out_.instructions.push_back(std::move(access));
  }

  /// Finds calls that may be recursive: only these must save the caller's registers.
  void find_ways_back() {
    const size_t count = out_.subroutines.size();
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count, false));
    const auto targets = [&](const PtxCall& call, const auto& found) {
      if (call.subroutine != kNoIndex) return found(call.subroutine);
      for (uint32_t i = 0; i < count; ++i)
        if (plan_.has_address[out_.subroutines[i].function]) found(i);
    };
    for (const auto& [at, call] : out_.calls)
      if (call.caller != kNoIndex) targets(call, [&, from = call.caller](uint32_t to) { reaches[from][to] = true; });
    for (size_t middle = 0; middle < count; ++middle)
      for (size_t from = 0; from < count; ++from)
        if (reaches[from][middle])
          for (size_t to = 0; to < count; ++to)
            if (reaches[middle][to]) reaches[from][to] = true;
    for (auto& [at, call] : out_.calls)
      if (call.caller != kNoIndex)
        targets(call, [&, &one = call](uint32_t to) {
          if (to == one.caller || reaches[to][one.caller]) one.saves = true;
        });
  }

  const PtxModule& module_;
  InlinedFunction& result_;
  PtxFunction& out_;
  CallPlan plan_;
  size_t copies_ = 0;
  uint32_t body_ = kNoIndex;  // the subroutine being added; none: the kernel
  FrameVariables variables_;  // of that subroutine
};

}  // namespace

bool calls_functions(const PtxFunction& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), is_call);
}

Result<std::shared_ptr<const InlinedFunction>> inline_calls(const PtxModule& module, const PtxFunction& kernel) {
  auto inlined = std::make_shared<InlinedFunction>();
  if (auto done = Inliner(module, *inlined).run(kernel); !done) return forward(done);
  return inlined;
}

FrameLayout lay_out_frame(const std::vector<uint64_t>& results, const std::vector<uint64_t>& parameters) {
  FrameLayout layout;
  const auto place = [&](uint64_t bytes) {
    // The size of a type is a multiple of its alignment, which is 16 at most.
    const uint64_t alignment = bytes == 0 ? 1 : std::min<uint64_t>(16, bytes & (~bytes + 1));
    const uint64_t offset = (layout.end + alignment - 1) / alignment * alignment;
    layout.end = offset + bytes;
    return offset;
  };
  for (uint64_t bytes : results) layout.results.push_back(place(bytes));
  for (uint64_t bytes : parameters) layout.parameters.push_back(place(bytes));
  return layout;
}

}  // namespace tilescope
