#include "engine/sim/steps/step_listing.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "engine/sim/lower/resolve.hpp"
#include "engine/sim/lower/variables.hpp"
#include "engine/sim/ptx/source_names.hpp"

namespace tilescope {
namespace {

using std::string_view;

bool one_of(string_view word, std::initializer_list<string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// ---- names ----

/// The words of an instruction that begin with a percent sign: "%r1", "%tid.x".
std::vector<string_view> percent_words(string_view text) {
  std::vector<string_view> words;
  for (size_t at = text.find('%'); at != string_view::npos; at = text.find('%', at)) {
    size_t end = at + 1;
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
    };
    while (end < text.size() && (is_part(text[end]) || text[end] == '.')) ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Assigns the registers of an instruction the names in its text.
class RegisterNames {
 public:
  explicit RegisterNames(std::vector<StepRegister>& registers) : registers_(registers) {}

  void take(const PtxInstruction& instruction) {
    words_ = percent_words(instruction.text);
    next_ = 0;
    if (instruction.guard != kNoIndex) name(instruction.guard, {});
    for (const PtxOperand& operand : instruction.operands) walk(operand);
  }

 private:
  void walk(const PtxOperand& operand) {
    const bool address = operand.kind == PtxOperand::Kind::address;
    if (operand.kind == PtxOperand::Kind::reg || (address && operand.has_register)) name(operand.reg, operand.selector);
    if (operand.kind == PtxOperand::Kind::name && operand.name.starts_with('%')) ++next_;
    for (const PtxOperand& element : operand.elements) walk(element);
  }
  void name(uint32_t reg, string_view selector) {
    string_view word = next_ < words_.size() ? words_[next_++] : string_view();
    if (!selector.empty()) word = word.substr(0, word.rfind('.'));
    if (registers_[reg].name.empty()) registers_[reg].name = word;
  }

  std::vector<StepRegister>& registers_;
  std::vector<string_view> words_;
  size_t next_ = 0;
};

// ---- kinds ----

bool is_known_kind(ValueKind kind) { return kind != ValueKind::bits; }

/// Kinds of an instruction's operands in order: destinations and sources.
std::vector<ValueKind> operand_kinds(const PtxInstruction& instruction) {
  const auto parts = parts_of_opcode(instruction.opcode);
  const string_view head = parts[0];
  std::vector<string_view> types;
  for (size_t i = 1; i < parts.size(); ++i)
    if (find_ptx_type(parts[i]) != nullptr || one_of(parts[i], {"tf32", "e4m3", "e5m2"})) types.push_back(parts[i]);
  const string_view last = types.empty() ? string_view() : types.back();
  const size_t count = instruction.operands.size();
  std::vector<ValueKind> kinds(count, value_kind(last));
  const auto set = [&](size_t operand, ValueKind kind) {
    if (operand < count) kinds[operand] = kind;
  };
  if (head == "cvt" && types.size() >= 2) set(0, value_kind(types[types.size() - 2]));
  if (head == "cvta") std::fill(kinds.begin(), kinds.end(), ValueKind::address);
  if (one_of(head, {"set", "tex"}) && types.size() >= 2) set(0, value_kind(types[types.size() - 2]));
  if (one_of(head, {"shl", "shr"})) set(2, ValueKind::unsigned_integer);
  if (one_of(head, {"bfe", "szext", "bmsk"})) set(2, ValueKind::unsigned_integer);
  if (one_of(head, {"bfi", "shf"})) set(3, ValueKind::unsigned_integer);
  if (one_of(head, {"popc", "clz", "bfind"})) set(0, ValueKind::unsigned_integer);
  if (head == "shfl")
    for (size_t i = 2; i < count; ++i) kinds[i] = i + 1 == count ? ValueKind::bits : ValueKind::signed_integer;
  if (one_of(head, {"vote", "match", "activemask", "redux", "lop3", "prmt"}) && last.starts_with('b'))
    std::fill(kinds.begin(), kinds.end(), ValueKind::bits);
  if (head == "redux") set(2, ValueKind::bits);
  if (one_of(head, {"bar", "barrier"})) std::fill(kinds.begin(), kinds.end(), ValueKind::unsigned_integer);
  if (one_of(head, {"mma", "wmma"}) && types.size() >= 4) {
    // D, A, B, C; narrow types are packed in pairs.
    const auto packed = [](string_view type) {
      return type == "f16"    ? ValueKind::f16x2
             : type == "bf16" ? ValueKind::bf16x2
             : type == "tf32" ? ValueKind::f32
                              : value_kind(type);
    };
    const size_t from = types.size() - 4;
    for (size_t i = 0; i < 4; ++i) set(i, packed(types[from + i]));
    if (one_of(types[from + 1], {"s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2"})) kinds[1] = kinds[2] = ValueKind::bits;
  }
  if (one_of(head, {"ldmatrix", "stmatrix", "cp"})) std::fill(kinds.begin(), kinds.end(), ValueKind::bits);
  return kinds;
}

/// mad.wide, mul.wide: results are twice as wide. The kind is the same.
struct OperandRegister {
  uint32_t reg;
  ValueKind kind;
  bool is_address;
};

void add_registers(const PtxOperand& operand, ValueKind kind, std::vector<OperandRegister>& list) {
  const bool address = operand.kind == PtxOperand::Kind::address;
  if (operand.kind == PtxOperand::Kind::reg || (address && operand.has_register))
    list.push_back({operand.reg, address ? ValueKind::address : kind, address});
  for (const auto& element : operand.elements) add_registers(element, kind, list);
}

/// Infers the kinds of registers that are only moved from other instructions that use them.
class RegisterKinds {
 public:
  RegisterKinds(const PtxFunction& function, std::vector<StepRegister>& registers)
      : function_(function), registers_(registers) {}

  void find() {
    for (StepRegister& reg : registers_)
      if (reg.bytes == 0) reg.kind = ValueKind::predicate;
    for (const PtxInstruction& instruction : function_.instructions) vote(instruction);
    for (bool changed = true; changed;) {
      changed = false;
      for (const PtxInstruction& instruction : function_.instructions) changed = spread(instruction) || changed;
    }
  }

 private:
  static int rank_of(ValueKind kind) {
    switch (kind) {
      case ValueKind::bits:
        return 0;
      case ValueKind::unsigned_integer:
        return 1;
      case ValueKind::signed_integer:
        return 2;
      default:
        return 3;
    }
  }
  static bool fits(ValueKind kind, uint32_t bytes) {
    switch (kind) {
      case ValueKind::f16:
      case ValueKind::bf16:
        return bytes == 2;
      case ValueKind::f32:
      case ValueKind::f16x2:
      case ValueKind::bf16x2:
        return bytes == 4;
      case ValueKind::f64:
        return bytes == 8;
      case ValueKind::predicate:
        return bytes == 0;
      case ValueKind::address:
        return bytes == 8;
      default:
        return bytes != 0;
    }
  }
  bool raise(uint32_t reg, ValueKind kind) {
    StepRegister& known = registers_[reg];
    if (rank_of(kind) <= rank_of(known.kind) || !fits(kind, known.bytes)) return false;
    known.kind = kind;
    return true;
  }
  void vote(const PtxInstruction& instruction) {
    const auto kinds = operand_kinds(instruction);
    std::vector<OperandRegister> list;
    for (size_t i = 0; i < kinds.size(); ++i) add_registers(instruction.operands[i], kinds[i], list);
    for (const auto& one : list) raise(one.reg, one.kind);
  }
  /// Instructions that move, select and shuffle bits.
  bool spread(const PtxInstruction& instruction) {
    const string_view head = instruction.opcode.substr(0, instruction.opcode.find('.'));
    const bool selects = head == "selp";
    if (!one_of(head, {"mov", "shfl"}) && !selects) return false;
    const size_t values = std::min<size_t>(instruction.operands.size(), selects ? 3 : 2);
    std::vector<OperandRegister> list;
    for (size_t i = 0; i < values; ++i) {
      const PtxOperand& operand = instruction.operands[i];
      const bool pair = operand.kind == PtxOperand::Kind::pair;
      if (operand.kind == PtxOperand::Kind::vector) return false;
      add_registers(pair ? operand.elements[0] : operand, ValueKind::bits, list);
    }
    bool changed = false;
    for (const auto& from : list)
      for (const auto& to : list) changed = raise(to.reg, registers_[from.reg].kind) || changed;
    return changed;
  }

  const PtxFunction& function_;
  std::vector<StepRegister>& registers_;
};

// ---- instructions ----

/// Replaces variables by their source names.
std::string with_source_names(string_view text) {
  std::string named;
  while (!text.empty()) {
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
    };
    const size_t length = static_cast<size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
    const string_view word = text.substr(0, std::max<size_t>(1, length)), name = local_name(word);
    named += name.empty() ? word : name;
    text.remove_prefix(word.size());
  }
  return named;
}

/// Replaces any run of spaces and tabs by one space.
std::string one_line(string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

StepRole role_of(string_view opcode) {
  const string_view head = opcode.substr(0, opcode.find_first_of(". "));
  if (one_of(head, {"ld", "ldu", "ldmatrix"}) || opcode.starts_with("wmma.load")) return StepRole::load;
  if (one_of(head, {"st", "stmatrix"}) || opcode.starts_with("wmma.store")) return StepRole::store;
  if (one_of(head, {"atom", "red"})) return StepRole::atomic;
  if (one_of(head, {"bar", "barrier"}) && !opcode.starts_with("bar.warp")) return StepRole::barrier;
  if (one_of(head, {"bra", "brx", "call", "return"})) return StepRole::branch;
  if (one_of(head, {"ret", "exit", "trap"})) return StepRole::exit;
  return StepRole::other;
}

const PtxOperand* address_operand(const PtxInstruction& instruction, bool second) {
  for (const PtxOperand& operand : instruction.operands)
    if (operand.kind == PtxOperand::Kind::address && !std::exchange(second, false)) return &operand;
  return nullptr;
}

void add_address(const Program& program, uint32_t operation, const PtxInstruction& source, StepInstruction& made) {
  const MemorySite& site = program.sites[program.operations[operation].site];
  const bool copies = site.kind == AccessKind::async_copy;  // its read is shown
  const PtxOperand* address = address_operand(source, copies);
  if (address == nullptr) return;
  made.is_memory = true;
  made.space = site.space;
  made.bytes_per_lane = site.bytes_per_lane;
  if (copies) made.role = StepRole::load;
  if (address->has_register) made.address_register = address->reg;
  made.address_offset = copies ? address->offset : program.operations[operation].immediate;
}

}  // namespace

ValueKind value_kind(string_view type) {
  if (type == "pred") return ValueKind::predicate;
  if (type == "f16") return ValueKind::f16;
  if (type == "bf16") return ValueKind::bf16;
  if (type == "f32" || type == "tf32") return ValueKind::f32;
  if (type == "f64") return ValueKind::f64;
  if (type == "f16x2") return ValueKind::f16x2;
  if (type == "bf16x2") return ValueKind::bf16x2;
  if (type.starts_with('u')) return ValueKind::unsigned_integer;
  if (type.starts_with('s')) return ValueKind::signed_integer;
  return ValueKind::bits;
}

std::vector<StepUse> register_uses(const Program& program) {
  const PtxFunction& function = *program.function;
  const auto add = [](std::vector<uint32_t>& list, uint32_t reg) {
    if (std::find(list.begin(), list.end(), reg) == list.end()) list.push_back(reg);
  };
  std::vector<StepUse> uses(function.instructions.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    const ResolvedInstruction resolved = resolve(function, function.instructions[i]);
    if (resolved.row == nullptr) continue;
    const RegisterUse use = register_use(function.instructions[i], *resolved.row);
    for (uint32_t reg : use.reads) add(uses[i].reads, reg);
    for (uint32_t reg : use.writes) add(uses[i].writes, reg);
  }
  return uses;
}

void list_instructions(const Program& program, StepRecord& record) {
  const PtxFunction& function = *program.function;
  record.files = program.files;
  record.registers.resize(function.registers.size());
  for (size_t i = 0; i < record.registers.size(); ++i) record.registers[i].bytes = function.registers[i].bytes;
  RegisterNames names(record.registers);
  for (const PtxInstruction& instruction : function.instructions) names.take(instruction);
  RegisterKinds(function, record.registers).find();

  record.instructions.resize(function.instructions.size());
  for (size_t i = 0; i < function.instructions.size(); ++i) {
    const PtxInstruction& source = function.instructions[i];
    StepInstruction& made = record.instructions[i];
    made.text = with_source_names(one_line(source.text));
    made.role = role_of(source.opcode);
    made.guarded = source.guard != kNoIndex;
    if (made.guarded) made.reads.push_back({source.guard, ValueKind::predicate});
    const ResolvedInstruction resolved = resolve(function, source);
    const size_t destinations = resolved.row == nullptr ? 0 : destinations_of(*resolved.row).size();
    const auto kinds = operand_kinds(source);
    const string_view head = string_view(source.opcode).substr(0, source.opcode.find('.'));
    for (size_t operand = 0; operand < source.operands.size(); ++operand) {
      std::vector<OperandRegister> list;
      add_registers(source.operands[operand], kinds[operand], list);
      for (const auto& one : list) {
        const StepRegister& reg = record.registers[one.reg];
        // An instruction that only moves a value says little about its type: others that use it are better evidence.
        const bool moves = one_of(head, {"mov", "ld", "ldu", "st", "selp", "shfl"}) && is_known_kind(reg.kind);
        const bool own = is_known_kind(one.kind) && reg.bytes != 0 && reg.kind != ValueKind::address && !moves;
        if (!one.is_address)
          (operand < destinations ? made.writes : made.reads).push_back({one.reg, own ? one.kind : reg.kind});
      }
    }
  }
  for (uint32_t i = static_cast<uint32_t>(program.operations.size()); i-- > 0;) {
    const OperationDetail& detail = program.details[i];
    if (detail.instruction >= record.instructions.size()) continue;
    record.instructions[detail.instruction].line = detail.line;
    record.instructions[detail.instruction].file = detail.file;
  }
  for (const MemorySite& site : program.sites) {
    const uint32_t instruction = program.details[site.operation].instruction;
    if (!record.instructions[instruction].is_memory)
      add_address(program, site.operation, function.instructions[instruction], record.instructions[instruction]);
  }
  for (const auto& [name, instruction] : function.labels) record.labels.push_back({std::string(name), instruction});
  std::sort(record.labels.begin(), record.labels.end(), [](const StepLabel& a, const StepLabel& b) {
    return a.instruction != b.instruction ? a.instruction < b.instruction : a.name < b.name;
  });
}

void list_shared(const Program& program, uint64_t shared_bytes, StepRecord& record) {
  const auto is_used = [&](string_view symbol) {
    return std::ranges::any_of(program.function->instructions, [&](const PtxInstruction& instruction) {
      const string_view text = instruction.text;
      for (size_t at = text.find(symbol); at != string_view::npos; at = text.find(symbol, at + 1)) {
        const auto is_part = [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
        };
        const size_t end = at + symbol.size();
        if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
      }
      return false;
    });
  };
  const KernelVariables variables = place_kernel_variables(*program.module, *program.function);
  for (const auto& [symbol, place] : variables.places) {
    if (place.space != Space::shared || !is_used(symbol)) continue;
    const bool dynamic = place.bytes == 0;
    const uint64_t bytes = dynamic ? shared_bytes - std::min(shared_bytes, place.offset) : place.bytes;
    if (bytes == 0) continue;
    record.shared.push_back({.name = variable_name(symbol),
                             .first = static_cast<uint32_t>(place.offset),
                             .bytes = static_cast<uint32_t>(bytes),
                             .is_dynamic = dynamic});
  }
  std::ranges::sort(record.shared, {}, [](const StepVariable& one) { return std::pair(one.first, one.name); });
}

}  // namespace tilescope
