#include "engine/sim/inline_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {
namespace {

constexpr int kDeepestCall = 16;
constexpr size_t kMostInstructions = size_t{1} << 20;

bool is_call(const PtxInstruction& instruction) {
  return instruction.opcode == "call" || instruction.opcode == "call.uni";
}

/// call (results), function, (parameters): each list may be missing.
struct Call {
  std::string_view callee;
  const PtxOperand* results = nullptr;
  const PtxOperand* parameters = nullptr;
};
Call parts_of(const PtxInstruction& instruction) {
  Call call;
  for (const auto& operand : instruction.operands) {
    if (operand.kind == PtxOperand::Kind::vector)
      (call.callee.empty() ? call.results : call.parameters) = &operand;
    else if (operand.kind == PtxOperand::Kind::name && call.callee.empty())
      call.callee = operand.name;
  }
  return call;
}

class Inliner {
 public:
  Inliner(const PtxModule& module, InlinedFunction& result) : module_(module), result_(result), out_(result.function) {}

  Result<void> run(const PtxFunction& function) {
    out_.name = function.name;
    out_.is_entry = function.is_entry;
    out_.parameters = function.parameters;
    std::copy(std::begin(function.max_threads), std::end(function.max_threads), out_.max_threads);
    std::copy(std::begin(function.required_threads), std::end(function.required_threads), out_.required_threads);
    out_.min_blocks = function.min_blocks;
    return append(function, {}, {}, 0);
  }

 private:
  using Names = std::unordered_map<std::string_view, std::string_view>;

  std::string_view keep(std::string name) { return result_.names.emplace_back(std::move(name)); }

  /// Appends a body. `names` says what its parameters are called here; returns lead to `end`, if there is one.
  Result<void> append(const PtxFunction& function, Names names, std::string_view end, int depth) {
    const auto registers = static_cast<uint32_t>(out_.registers.size());
    const auto locations = static_cast<uint32_t>(out_.locations.size());
    out_.registers.insert(out_.registers.end(), function.registers.begin(), function.registers.end());
    out_.locations.insert(out_.locations.end(), function.locations.begin(), function.locations.end());
    out_.shared.insert(out_.shared.end(), function.shared.begin(), function.shared.end());
    const size_t copy = copies_++;
    for (const auto* list : {&function.local, &function.call_params})
      for (const auto& variable : *list) add_local(variable, copy, depth, names);
    for (const auto& [label, at] : function.labels)
      if (depth > 0) names[label] = keep(fmt::format("{}.{}", label, copy));

    std::vector<uint32_t> moved_to;
    for (const auto& original : function.instructions) {
      moved_to.push_back(static_cast<uint32_t>(out_.instructions.size()));
      if (out_.instructions.size() > kMostInstructions)
        return fail(ErrorId::ptx_syntax, original.ptx_line, "the function's calls make it too large");
      PtxInstruction instruction = original;
      move(instruction, registers, locations, names);
      if (is_call(original)) {
        if (auto called = call(instruction, depth); !called) return called;
        continue;
      }
      if (!end.empty() && original.opcode.starts_with("ret")) branch_to(instruction, end);
      if (!names.empty()) pass_through_local(instruction, function, depth);
      out_.instructions.push_back(std::move(instruction));
    }
    moved_to.push_back(static_cast<uint32_t>(out_.instructions.size()));
    for (const auto& [label, at] : function.labels) out_.labels[renamed(label, names)] = moved_to[at];
    for (const auto& [table, targets] : function.branch_targets)
      for (std::string_view target : targets)
        out_.branch_targets[renamed(table, names)].push_back(renamed(target, names));
    return {};
  }

  /// A variable of the same name in another scope of the function shares its place: they are never in use together.
  void add_local(const PtxVariable& variable, size_t copy, int depth, Names& names) {
    const auto known = names.find(variable.name);
    const std::string_view name = known != names.end() ? known->second
                                  : depth == 0         ? variable.name
                                                       : keep(fmt::format("{}.{}", variable.name, copy));
    names[variable.name] = name;
    const auto same =
        std::find_if(out_.local.begin(), out_.local.end(), [&](const auto& other) { return other.name == name; });
    if (same == out_.local.end()) {
      out_.local.push_back(variable);
      out_.local.back().name = name;
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
    for (auto& operand : instruction.operands) move(operand, registers, names);
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

  /// ld.param and st.param of anything but the kernel's own parameters.
  void pass_through_local(PtxInstruction& instruction, const PtxFunction& function, int depth) {
    const bool load = instruction.opcode.starts_with("ld.param");
    if ((!load && !instruction.opcode.starts_with("st.param")) || instruction.operands.size() != 2) return;
    const PtxOperand& address = instruction.operands[load ? 1 : 0];
    const bool own = depth == 0 && (address.has_register ||
                                    std::any_of(function.parameters.begin(), function.parameters.end(),
                                                [&](const auto& parameter) { return parameter.name == address.name; }));
    if (!own) instruction.opcode = keep(fmt::format("{}.local{}", load ? "ld" : "st", instruction.opcode.substr(8)));
  }

  Result<void> call(const PtxInstruction& instruction, int depth) {
    const Call parts = parts_of(instruction);
    const auto callee = std::find_if(module_.functions.begin(), module_.functions.end(), [&](const auto& function) {
      return function.name == parts.callee && !function.is_entry;
    });
    PtxInstruction entry = instruction;
    if (callee == module_.functions.end() && parts.callee == "__assertfail") {
      entry.opcode = "trap";
      entry.operands.clear();
    }
    if (callee == module_.functions.end()) {
      out_.instructions.push_back(std::move(entry));
      return {};
    }
    if (depth >= kDeepestCall)
      return fail(ErrorId::ptx_syntax, instruction.ptx_line,
                  fmt::format("'{}' calls itself, or too deeply", parts.callee));
    Names names;
    bind(callee->parameters, parts.parameters, names);
    bind(callee->results, parts.results, names);
    const size_t number = copies_;
    const std::string_view begin = keep(fmt::format("{}.begin.{}", parts.callee, number));
    const std::string_view end = keep(fmt::format("{}.end.{}", parts.callee, number));
    // The call itself counts as an instruction; where it is guarded, the others go past the body.
    branch_to(entry, begin);
    const bool guarded = entry.guard != kNoIndex;
    PtxInstruction past = entry;
    out_.instructions.push_back(std::move(entry));
    if (guarded) {
      branch_to(past, end);
      past.guard = kNoIndex;
      out_.instructions.push_back(std::move(past));
    }
    out_.labels[begin] = static_cast<uint32_t>(out_.instructions.size());
    if (auto appended = append(*callee, std::move(names), end, depth + 1); !appended) return appended;
    out_.labels[end] = static_cast<uint32_t>(out_.instructions.size());
    return {};
  }

  static void bind(const std::vector<PtxVariable>& declared, const PtxOperand* given, Names& names) {
    for (size_t i = 0; i < declared.size() && given != nullptr && i < given->elements.size(); ++i)
      names[declared[i].name] = given->elements[i].name;
  }

  const PtxModule& module_;
  InlinedFunction& result_;
  PtxFunction& out_;
  size_t copies_ = 0;
};

}  // namespace

bool calls_functions(const PtxFunction& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), is_call);
}

Result<std::shared_ptr<const InlinedFunction>> inline_calls(const PtxModule& module, const PtxFunction& function) {
  auto inlined = std::make_shared<InlinedFunction>();
  if (auto done = Inliner(module, *inlined).run(function); !done) return tl::unexpected<Error>(done.error());
  return inlined;
}

}  // namespace tilescope
