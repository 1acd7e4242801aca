// The body of a PTX function: declarations, labels, guards, instructions and their operands.
#include <algorithm>
#include <bit>
#include <unordered_set>

#include "engine/sim/ptx/inlining_comment.hpp"
#include "engine/sim/ptx/parser_state.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostRegisters = size_t{1} << 20;
constexpr size_t kDeepestScope = 64;

class FunctionParser {
 public:
  FunctionParser(PtxCursor& cursor, PtxFunction& function, std::deque<std::string>& names)
      : cursor_(cursor), function_(function), names_(names) {}

  bool run() {
    if (!cursor_.expect('{')) return false;
    open_scope();
    while (!scopes_.empty()) {
      if (cursor_.at_end()) return cursor_.fail("a closing brace is missing");
      if (cursor_.accept('}')) {
        scopes_.pop_back();
      } else if (cursor_.accept('{')) {
        if (scopes_.size() >= kDeepestScope) return cursor_.fail("scopes are nested too deeply");
        open_scope();
      } else if (!statement()) {
        return false;
      }
    }
    if (renamed_) rename_uses();
    return true;
  }

 private:
  struct Range {
    uint32_t first = 0, count = 0;  // count 0: one register with exactly this name
    uint32_t vector = 0;            // elements of a vector register; they are consecutive registers
  };
  using Registers = std::unordered_map<std::string_view, Range>;
  /// Names in the function for the labels, tables and variables that a scope declares.
  struct NamedScope {
    uint32_t outer = kNoIndex;
    std::unordered_map<std::string_view, std::string_view> names = {};
  };

  void open_scope() {
    named_scopes_.push_back({open_.empty() ? kNoIndex : open_.back()});
    open_.resize(scopes_.size());
    open_.push_back(static_cast<uint32_t>(named_scopes_.size() - 1));
    scopes_.emplace_back();
  }
  uint32_t scope() const { return open_[scopes_.size() - 1]; }

  /// The name in the function for a declaration of the scope: a different one if an earlier scope already uses it.
  bool declare(std::string_view& name, std::string_view what) {
    auto& names = named_scopes_[scope()].names;
    if (names.contains(name)) return cursor_.fail(fmt::format("{} '{}' is there twice", what, name));
    const std::string_view written = name;
    if (!declared_.insert(name).second) {
      name = names_.emplace_back(fmt::format("{}.{}", name, named_scopes_.size() + declared_.size()));
      declared_.insert(name);
      renamed_ = true;
    }
    names[written] = name;
    return true;
  }

  std::string_view name_in_function(std::string_view name, uint32_t from) const {
    for (uint32_t at = from; at != kNoIndex; at = named_scopes_[at].outer)
      if (const auto found = named_scopes_[at].names.find(name); found != named_scopes_[at].names.end())
        return found->second;
    return name;
  }

  void rename(PtxOperand& operand, uint32_t from) const {
    if (!operand.name.empty() && !operand.has_register) operand.name = name_in_function(operand.name, from);
    for (auto& element : operand.elements) rename(element, from);
  }

  /// Labels may be used before they are declared, so this is done last.
  void rename_uses() {
    for (size_t i = 0; i < function_.instructions.size(); ++i)
      for (auto& operand : function_.instructions[i].operands) rename(operand, scope_of_instruction_[i]);
    for (auto& [table, targets] : function_.branch_targets)
      for (auto& target : targets) target = name_in_function(target, scope_of_table_[table]);
  }

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
    std::string_view name = cursor_.take().text;
    cursor_.take();
    if (cursor_.accept_word(".branchtargets")) return branch_targets(name);
    if (cursor_.accept_word(".callprototype")) return prototype(function_.prototypes[name]);
    if (cursor_.at_word(".calltargets")) return cursor_.skip_statement();
    const auto next = static_cast<uint32_t>(function_.instructions.size());
    return declare(name, "label") && function_.labels.emplace(name, next).second;
  }

  bool branch_targets(std::string_view name) {
    if (!declare(name, "table")) return false;
    scope_of_table_[name] = scope();
    auto& targets = function_.branch_targets[name];
    do {
      std::string_view target;
      if (!cursor_.expect_word(target)) return false;
      targets.push_back(target);
    } while (cursor_.accept(','));
    return cursor_.expect(';');
  }

  /// (.param .b32 _) _ (.param .align 8 .b8 _[40], …): the results may be missing.
  bool prototype(PtxPrototype& prototype) {
    std::vector<PtxVariable> results, parameters;
    std::string_view name;
    if (cursor_.at('(') && !parse_parameters(cursor_, results)) return false;
    if (!cursor_.expect_word(name)) return false;
    if (cursor_.at('(') && !parse_parameters(cursor_, parameters)) return false;
    for (const auto& result : results) prototype.results.push_back(result.bytes);
    for (const auto& parameter : parameters) prototype.parameters.push_back(parameter.bytes);
    return cursor_.skip_statement();
  }

  bool directive() {
    const std::string_view word = cursor_.take().text;
    if (word == ".reg") return registers();
    if (word == ".loc") return location();
    if (word == ".local") return variables(function_.local);
    if (word == ".shared") return variables(function_.shared);
    if (word == ".param") return parse_variables(cursor_, function_.call_params);
    if (word == ".pragma") return cursor_.skip_statement();
    return cursor_.fail(fmt::format("'{}' is not understood", word));
  }

  bool variables(std::vector<PtxVariable>& list) {
    const size_t before = list.size();
    if (!parse_variables(cursor_, list)) return false;
    for (size_t i = before; i < list.size(); ++i)
      if (!declare(list[i].name, "variable")) return false;
    return true;
  }

  bool registers() {
    std::string_view word;
    if (!cursor_.expect_word(word)) return false;
    uint32_t vector = 0;
    if (word == ".v2" || word == ".v4") {
      vector = static_cast<uint32_t>(word[2] - '0');
      if (!cursor_.expect_word(word)) return false;
    }
    const PtxType* type = find_ptx_type(word.starts_with('.') ? word.substr(1) : word);
    if (type == nullptr) return cursor_.fail(fmt::format("registers of type '{}' are not supported", word));
    do {
      std::string_view name;
      if (!cursor_.expect_word(name)) return false;
      Range range{static_cast<uint32_t>(function_.registers.size()), 0};
      uint64_t count = 1;
      if (cursor_.accept('<')) {
        if (vector != 0) return cursor_.fail("vector registers are declared one by one");
        if (!cursor_.expect_integer(count, kMostRegisters) || !cursor_.expect('>')) return false;
        range.count = static_cast<uint32_t>(count);
        if (count == 0) continue;
      }
      if (vector != 0) range.vector = vector;
      if (vector != 0) count = vector;
      if (function_.registers.size() + count > kMostRegisters) return cursor_.fail("there are too many registers");
      function_.registers.resize(function_.registers.size() + count, PtxRegister{type->bytes});
      scopes_.back()[name] = range;
    } while (cursor_.accept(','));
    return cursor_.expect(';');
  }

  bool location() {
    PtxLocation location;
    if (!place(location.file, location.line, location.column)) return false;
    if (!cursor_.at(',') && !cursor_.at_end()) take_comment(location);
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

  /// Between the last token and the next one. The outermost caller is in the file of the function's first .loc.
  void take_comment(PtxLocation& location) const {
    const char* next = cursor_.peek().text.data();
    if (function_.locations.empty() || next == nullptr || next < place_end_) return;
    const auto places = places_in_comment({place_end_, static_cast<size_t>(next - place_end_)});
    const CommentPlace* caller = caller_in_own_file(places);
    if (caller == nullptr) return;
    location.inlined = true;
    location.at_file = function_.locations.front().file;
    location.at_line = caller->line;
    location.at_column = caller->column;
  }

  bool place(uint32_t& file, uint32_t& line, uint32_t& column) {
    for (uint32_t* part : {&file, &line, &column}) {
      uint64_t value = 0;
      place_end_ = cursor_.peek().text.data() + cursor_.peek().text.size();
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
    is_call_ = instruction.opcode.starts_with("call");
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
    scope_of_instruction_.push_back(scope());
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

  /// Names in inner scopes hide outer ones; %r<10> declares %r0 … %r9.
  bool find_register(std::string_view name, uint32_t& reg) const {
    Range range;
    if (!find_range(name, reg, range)) return false;
    return range.vector == 0;
  }

  /// The same for whole vector registers; `reg` is the first element.
  bool find_range(std::string_view name, uint32_t& reg, Range& found) const {
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
        found = whole->second;
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
    if (cursor_.accept('{')) return list(operand, '}', depth) && rest_of_pair(operand, depth);
    if (is_call_ && cursor_.accept('(')) return list(operand, ')', depth);
    if (cursor_.accept('[')) return address(operand, depth);
    if (at_constant(cursor_)) {
      operand.kind = PtxOperand::Kind::integer;
      return parse_constant(cursor_, operand.bits);
    }
    operand.negated = cursor_.accept('!');
    const bool minus = cursor_.accept('-');
    if (!minus) cursor_.accept('+');
    const PtxToken token = cursor_.peek();
    switch (token.kind) {
      case PtxTokenKind::float32:
      case PtxTokenKind::float64:
        cursor_.take();
        operand.kind = PtxOperand::Kind::real;
        operand.single = token.kind == PtxTokenKind::float32;
        operand.bits = token.bits ^ (minus ? uint64_t{1} << (operand.single ? 31 : 63) : 0);
        return true;
      case PtxTokenKind::word:
        operand.negated = operand.negated || minus;
        return word(operand, depth) &&
               (!minus || operand.kind == PtxOperand::Kind::reg || cursor_.fail("a minus sign stands before a name"));
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
    return (name == "_" || find_word(name, operand)) && rest_of_pair(operand, depth);
  }

  /// p|q, or the {a, b, c, d}|p of a texture fetch.
  bool rest_of_pair(PtxOperand& operand, int depth) {
    if (!cursor_.accept('|')) return true;
    PtxOperand second, first = operand;
    if (!parse_operand(second, depth + 1)) return false;
    operand = PtxOperand{};
    operand.kind = PtxOperand::Kind::pair;
    operand.elements.push_back(std::move(first));
    operand.elements.push_back(std::move(second));
    return true;
  }

  bool find_word(std::string_view name, PtxOperand& operand) {
    Range range;
    if (find_range(name, operand.reg, range)) {
      if (range.vector == 0) {
        operand.kind = PtxOperand::Kind::reg;
        return true;
      }
      operand.kind = PtxOperand::Kind::vector;
      for (uint32_t i = 0; i < range.vector; ++i) {
        operand.elements.emplace_back().kind = PtxOperand::Kind::reg;
        operand.elements.back().reg = range.first + i;
      }
      return true;
    }
    if (find_part(name, operand)) return true;
    operand.kind = PtxOperand::Kind::name;
    operand.name = name;
    return offset(operand.offset);
  }

  /// "v.x", an element of a vector register, or "%r1.b2", a part of a register.
  bool find_part(std::string_view name, PtxOperand& operand) const {
    const size_t dot = name.rfind('.');
    Range range;
    if (dot == std::string_view::npos || !find_range(name.substr(0, dot), operand.reg, range)) return false;
    const std::string_view part = name.substr(dot + 1);
    operand.kind = PtxOperand::Kind::reg;
    if (range.vector == 0) {
      operand.selector = part;
      return true;
    }
    size_t element = part.size() == 1 ? std::string_view("xyzw").find(part[0]) : std::string_view::npos;
    if (element == std::string_view::npos && part.size() == 1) element = std::string_view("rgba").find(part[0]);
    if (element >= range.vector) return false;
    operand.reg += static_cast<uint32_t>(element);
    return true;
  }

  /// "+4", "-4", "+-4", "+2*8" or nothing.
  bool offset(int64_t& value) {
    if (!cursor_.at('+') && !cursor_.at('-')) return true;
    uint64_t bits = 0;
    if (!parse_constant(cursor_, bits)) return false;
    value = static_cast<int64_t>(bits);
    return true;
  }

  bool address(PtxOperand& operand, int depth) {
    operand.kind = PtxOperand::Kind::address;
    if (cursor_.peek().kind == PtxTokenKind::word) {
      operand.name = cursor_.take().text;
      operand.has_register = find_register(operand.name, operand.reg);
      PtxOperand element;
      if (!operand.has_register && find_part(operand.name, element) && element.selector.empty()) {
        operand.has_register = true;
        operand.reg = element.reg;
      }
      if (!offset(operand.offset)) return false;
    } else {
      uint64_t bits = 0;
      if (!parse_constant(cursor_, bits)) return false;
      operand.offset = static_cast<int64_t>(bits);
    }
    while (cursor_.accept(',')) {  // the coordinates of a tensor
      PtxOperand element;
      if (!parse_operand(element, depth + 1)) return false;
      operand.elements.push_back(std::move(element));
    }
    return cursor_.expect(']');
  }

  PtxCursor& cursor_;
  const char* place_end_ = nullptr;  // end of the last place that was read
  PtxFunction& function_;
  std::deque<std::string>& names_;
  std::vector<Registers> scopes_;
  std::vector<NamedScope> named_scopes_;
  std::vector<uint32_t> open_;  // indices into named_scopes_ of the open scopes
  std::unordered_set<std::string_view> declared_;
  std::vector<uint32_t> scope_of_instruction_;
  std::unordered_map<std::string_view, uint32_t> scope_of_table_;
  bool renamed_ = false;
  bool is_call_ = false;
};

}  // namespace

bool parse_function_body(PtxCursor& cursor, PtxFunction& function, std::deque<std::string>& names) {
  return FunctionParser(cursor, function, names).run();
}

}  // namespace tilescope
