// The body of a PTX function: declarations, labels, guards, instructions and their operands.
#include <algorithm>
#include <bit>

#include "engine/sim/parser_state.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostRegisters = size_t{1} << 20;
constexpr size_t kDeepestScope = 64;

class FunctionParser {
 public:
  FunctionParser(PtxCursor& cursor, PtxFunction& function) : cursor_(cursor), function_(function) {}

  bool run() {
    if (!cursor_.expect('{')) return false;
    scopes_.emplace_back();
    while (!scopes_.empty()) {
      if (cursor_.at_end()) return cursor_.fail("a closing brace is missing");
      if (cursor_.accept('}')) {
        scopes_.pop_back();
      } else if (cursor_.accept('{')) {
        if (scopes_.size() >= kDeepestScope) return cursor_.fail("scopes are nested too deeply");
        scopes_.emplace_back();
      } else if (!statement()) {
        return false;
      }
    }
    return true;
  }

 private:
  struct Range {
    uint32_t first = 0, count = 0;  // count 0: one register whose name is whole
  };

  bool statement() {
    const PtxToken& token = cursor_.peek();
    if (cursor_.accept(';')) return true;
    if (token.kind == PtxTokenKind::word && cursor_.peek(1).kind == PtxTokenKind::punctuation &&
        cursor_.peek(1).text == ":")
      return label();
    if (token.kind == PtxTokenKind::word && token.text.starts_with('.')) return directive();
    return instruction();
  }

  bool label() {
    const std::string_view name = cursor_.take().text;
    cursor_.take();
    if (cursor_.accept_word(".branchtargets")) return branch_targets(name);
    if (cursor_.at_word(".callprototype") || cursor_.at_word(".calltargets")) return cursor_.skip_statement();
    const auto next = static_cast<uint32_t>(function_.instructions.size());
    return function_.labels.emplace(name, next).second || cursor_.fail(fmt::format("label '{}' is there twice", name));
  }

  bool branch_targets(std::string_view name) {
    auto& targets = function_.branch_targets[name];
    do {
      std::string_view target;
      if (!cursor_.expect_word(target)) return false;
      targets.push_back(target);
    } while (cursor_.accept(','));
    return cursor_.expect(';');
  }

  bool directive() {
    const std::string_view word = cursor_.take().text;
    if (word == ".reg") return registers();
    if (word == ".loc") return location();
    if (word == ".local") return parse_variables(cursor_, function_.local);
    if (word == ".shared") return parse_variables(cursor_, function_.shared);
    if (word == ".param") return parse_variables(cursor_, function_.call_params);
    if (word == ".pragma") return cursor_.skip_statement();
    return cursor_.fail(fmt::format("'{}' is not understood", word));
  }

  bool registers() {
    std::string_view word;
    if (!cursor_.expect_word(word)) return false;
    const PtxType* type = find_ptx_type(word.starts_with('.') ? word.substr(1) : word);
    if (type == nullptr) return cursor_.fail(fmt::format("registers of type '{}' are not supported", word));
    do {
      std::string_view name;
      if (!cursor_.expect_word(name)) return false;
      Range range{static_cast<uint32_t>(function_.registers.size()), 0};
      uint64_t count = 1;
      if (cursor_.accept('<')) {
        if (!cursor_.expect_integer(count, kMostRegisters) || !cursor_.expect('>')) return false;
        range.count = static_cast<uint32_t>(count);
        if (count == 0) continue;
      }
      if (function_.registers.size() + count > kMostRegisters) return cursor_.fail("there are too many registers");
      function_.registers.resize(function_.registers.size() + count, PtxRegister{type->bytes});
      scopes_.back()[name] = range;
    } while (cursor_.accept(','));
    return cursor_.expect(';');
  }

  bool location() {
    PtxLocation location;
    if (!place(location.file, location.line, location.column)) return false;
    while (cursor_.accept(',')) {
      std::string_view word;
      if (!cursor_.expect_word(word)) return false;
      if (word == "function_name") {
        uint64_t ignored = 0;
        if (!cursor_.expect_word(word)) return false;
        if (cursor_.accept('+') && !cursor_.expect_integer(ignored, ~uint64_t{0})) return false;
      } else if (word == "inlined_at") {
        location.inlined = true;
        if (!place(location.at_file, location.at_line, location.at_column)) return false;
      } else {
        return cursor_.fail(fmt::format("'{}' is not understood in a .loc", word));
      }
    }
    function_.locations.push_back(location);
    return true;
  }

  bool place(uint32_t& file, uint32_t& line, uint32_t& column) {
    for (uint32_t* part : {&file, &line, &column}) {
      uint64_t value = 0;
      if (!cursor_.expect_integer(value, 0x7fffffff)) return false;
      *part = static_cast<uint32_t>(value);
    }
    return true;
  }

  bool instruction() {
    PtxInstruction instruction;
    const char* begin = cursor_.peek().text.data();
    instruction.ptx_line = cursor_.peek().line;
    if (!function_.locations.empty()) instruction.location = static_cast<uint32_t>(function_.locations.size() - 1);
    if (cursor_.accept('@') && !guard(instruction)) return false;
    if (!cursor_.expect_word(instruction.opcode)) return false;
    if (!cursor_.at(';')) {
      do {
        PtxOperand operand;
        if (!parse_operand(operand, 0)) return false;
        instruction.operands.push_back(std::move(operand));
      } while (cursor_.accept(','));
    }
    if (!cursor_.at(';')) return cursor_.expect(';');
    const char* end = cursor_.peek().text.data();
    cursor_.take();
    instruction.text = {begin, static_cast<size_t>(end - begin)};
    while (!instruction.text.empty() && instruction.text.back() <= ' ') instruction.text.remove_suffix(1);
    function_.instructions.push_back(std::move(instruction));
    return true;
  }

  bool guard(PtxInstruction& instruction) {
    instruction.guard_negated = cursor_.accept('!');
    std::string_view name;
    if (!cursor_.expect_word(name)) return false;
    if (!find_register(name, instruction.guard) || function_.registers[instruction.guard].bytes != 0)
      return cursor_.fail(fmt::format("'{}' is no predicate", name));
    return true;
  }

  /// Names in inner scopes hide those outside; %r<10> declares %r0 … %r9.
  bool find_register(std::string_view name, uint32_t& reg) const {
    size_t digits = 0;
    while (digits < name.size() && name[name.size() - 1 - digits] >= '0' && name[name.size() - 1 - digits] <= '9')
      ++digits;
    const std::string_view stem = name.substr(0, name.size() - digits);
    uint64_t number = 0;
    const bool numbered = digits != 0 && digits < 8 && (digits == 1 || name[stem.size()] != '0');
    for (size_t i = stem.size(); numbered && i < name.size(); ++i)
      number = number * 10 + static_cast<uint64_t>(name[i] - '0');
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto whole = scope->find(name); whole != scope->end() && whole->second.count == 0) {
        reg = whole->second.first;
        return true;
      }
      if (!numbered) continue;
      if (const auto range = scope->find(stem); range != scope->end() && number < range->second.count) {
        reg = range->second.first + static_cast<uint32_t>(number);
        return true;
      }
    }
    return false;
  }

  bool parse_operand(PtxOperand& operand, int depth) {
    if (depth > 3) return cursor_.fail("operands are nested too deeply");
    if (cursor_.accept('{')) return list(operand, '}', depth);
    if (cursor_.accept('(')) return list(operand, ')', depth);
    if (cursor_.accept('[')) return address(operand, depth);
    operand.negated = cursor_.accept('!');
    const bool minus = cursor_.accept('-');
    if (!minus) cursor_.accept('+');
    const PtxToken token = cursor_.peek();
    switch (token.kind) {
      case PtxTokenKind::integer:
        cursor_.take();
        operand.kind = PtxOperand::Kind::integer;
        operand.bits = minus ? ~token.bits + 1 : token.bits;
        return true;
      case PtxTokenKind::float32:
      case PtxTokenKind::float64:
        cursor_.take();
        operand.kind = PtxOperand::Kind::real;
        operand.single = token.kind == PtxTokenKind::float32;
        operand.bits = token.bits ^ (minus ? uint64_t{1} << (operand.single ? 31 : 63) : 0);
        return true;
      case PtxTokenKind::word:
        if (minus) return cursor_.fail("a minus sign stands before a name");
        return word(operand, depth);
      default:
        return cursor_.fail(fmt::format("{} is no operand", PtxCursor::quoted(token)));
    }
  }

  bool list(PtxOperand& operand, char close, int depth) {
    operand.kind = PtxOperand::Kind::vector;
    while (!cursor_.accept(close)) {
      PtxOperand element;
      if (!parse_operand(element, depth + 1)) return false;
      operand.elements.push_back(std::move(element));
      if (!cursor_.at(close) && !cursor_.expect(',')) return false;
    }
    return true;
  }

  bool word(PtxOperand& operand, int depth) {
    const std::string_view name = cursor_.take().text;
    if (name == "_") return true;  // a sink
    if (find_register(name, operand.reg)) {
      operand.kind = PtxOperand::Kind::reg;
    } else {
      operand.kind = PtxOperand::Kind::name;
      operand.name = name;
      if (!offset(operand.offset)) return false;
    }
    if (!cursor_.accept('|')) return true;
    PtxOperand second, first = operand;
    if (!parse_operand(second, depth + 1)) return false;
    operand = PtxOperand{};
    operand.kind = PtxOperand::Kind::pair;
    operand.elements.push_back(std::move(first));
    operand.elements.push_back(std::move(second));
    return true;
  }

  /// "+4", "-4", "+-4" or nothing.
  bool offset(int64_t& value) {
    if (!cursor_.at('+') && !cursor_.at('-')) return true;
    bool minus = cursor_.take().text[0] == '-';
    if (cursor_.accept('-')) minus = !minus;
    uint64_t magnitude = 0;
    if (!cursor_.expect_integer(magnitude, ~uint64_t{0})) return false;
    value = static_cast<int64_t>(minus ? ~magnitude + 1 : magnitude);
    return true;
  }

  bool address(PtxOperand& operand, int depth) {
    operand.kind = PtxOperand::Kind::address;
    if (cursor_.peek().kind == PtxTokenKind::word) {
      operand.name = cursor_.take().text;
      operand.has_register = find_register(operand.name, operand.reg);
      if (!offset(operand.offset)) return false;
    } else {
      const bool minus = cursor_.accept('-');
      uint64_t magnitude = 0;
      if (!cursor_.expect_integer(magnitude, ~uint64_t{0})) return false;
      operand.offset = static_cast<int64_t>(minus ? ~magnitude + 1 : magnitude);
    }
    while (cursor_.accept(',')) {  // the coordinates of a tensor
      PtxOperand element;
      if (!parse_operand(element, depth + 1)) return false;
      operand.elements.push_back(std::move(element));
    }
    return cursor_.expect(']');
  }

  PtxCursor& cursor_;
  PtxFunction& function_;
  std::vector<std::unordered_map<std::string_view, Range>> scopes_;
};

}  // namespace

bool parse_function_body(PtxCursor& cursor, PtxFunction& function) { return FunctionParser(cursor, function).run(); }

}  // namespace tilescope
