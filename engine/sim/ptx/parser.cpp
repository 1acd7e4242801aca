#include "engine/sim/ptx/parser.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/sim/ptx/parser_state.hpp"

namespace tilescope {

const PtxType* find_ptx_type(std::string_view text) {
  static const std::unordered_map<std::string_view, PtxType> types = [] {
    std::unordered_map<std::string_view, PtxType> table;
    const auto add = [&](std::string_view name, uint32_t bytes, bool is_float, bool is_signed) {
      table[name] = PtxType{name, bytes, is_float, is_signed};
    };
    for (std::string_view name : {"b8", "u8", "e4m3", "e5m2"}) add(name, 1, false, false);
    for (std::string_view name : {"b16", "u16", "e4m3x2", "e5m2x2"}) add(name, 2, false, false);
    for (std::string_view name : {"b32", "u32", "f16x2", "bf16x2"}) add(name, 4, false, false);
    for (std::string_view name : {"b64", "u64"}) add(name, 8, false, false);
    add("s8", 1, false, true);
    add("s16", 2, false, true);
    add("s32", 4, false, true);
    add("s64", 8, false, true);
    add("b128", 16, false, false);
    for (std::string_view name : {"f16", "bf16"}) add(name, 2, true, true);
    for (std::string_view name : {"f32", "tf32"}) add(name, 4, true, true);
    add("f64", 8, true, true);
    add("pred", 0, false, false);
    return table;
  }();
  const auto found = types.find(text);
  return found == types.end() ? nullptr : &found->second;
}

namespace {

constexpr uint64_t kLargestVariable = uint64_t{1} << 38;

/// An initialiser's bytes are appended as they are parsed; nested braces only group.
class Initialiser {
 public:
  Initialiser(PtxCursor& cursor, PtxVariable& variable, const PtxType& element)
      : cursor_(cursor), variable_(variable), element_(element) {}

  bool parse(int depth = 0) {
    if (!cursor_.accept('{')) return value();
    if (depth > 8) return cursor_.fail("an initialiser is nested too deeply");
    while (!cursor_.accept('}')) {
      if (!parse(depth + 1)) return false;
      if (!cursor_.at('}') && !cursor_.expect(',')) return false;
    }
    return true;
  }

 private:
  bool value() {
    if (at_constant(cursor_)) {
      uint64_t bits = 0;
      if (!parse_constant(cursor_, bits)) return false;
      if (cursor_.accept('(')) return relocation(bits) && cursor_.expect(')');
      if (element_.is_float) return real(static_cast<double>(static_cast<int64_t>(bits)));
      append(bits);
      return true;
    }
    const bool negative = cursor_.accept('-');
    const PtxToken token = cursor_.peek();
    if (token.kind == PtxTokenKind::float32 || token.kind == PtxTokenKind::float64) {
      cursor_.take();
      const double value = token.kind == PtxTokenKind::float32
                               ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(token.bits)))
                               : std::bit_cast<double>(token.bits);
      return real(negative ? -value : value);
    }
    if (token.kind == PtxTokenKind::word) return relocation(0);
    return cursor_.fail(fmt::format("{} is no initial value", PtxCursor::quoted(token)));
  }

  bool real(double value) {
    if (element_.bytes == 4)
      append(std::bit_cast<uint32_t>(static_cast<float>(value)));
    else if (element_.bytes == 8)
      append(std::bit_cast<uint64_t>(value));
    else
      return cursor_.fail("a floating-point initial value does not fit its type");
    return true;
  }

  /// The address of a variable, or the byte of it that a mask selects.
  bool relocation(uint64_t mask) {
    PtxVariable::Relocation place{variable_.initial.size(), element_.bytes, {}, 0, false, 0};
    if (mask != 0) place.first_byte = static_cast<uint32_t>(std::countr_zero(mask) / 8);
    if (cursor_.accept_word("generic")) {
      place.generic = true;
      if (!cursor_.expect('(') || !cursor_.expect_word(place.name) || !cursor_.expect(')')) return false;
    } else if (!cursor_.expect_word(place.name)) {
      return false;
    }
    const bool plus = cursor_.accept('+');
    if (plus || cursor_.accept('-')) {
      uint64_t addend = 0;
      if (!parse_constant(cursor_, addend)) return false;
      place.addend = plus ? static_cast<int64_t>(addend) : -static_cast<int64_t>(addend);
    }
    variable_.relocations.push_back(place);
    append(0);
    return true;
  }

  void append(uint64_t bits) {
    for (uint32_t i = 0; i < element_.bytes; ++i)
      variable_.initial.push_back(static_cast<uint8_t>(i < 8 ? bits >> (8 * i) : 0));
  }

  PtxCursor& cursor_;
  PtxVariable& variable_;
  const PtxType& element_;
};

}  // namespace

bool parse_variable_type(PtxCursor& cursor, PtxVariable& variable, PtxType& element) {
  uint32_t vector = 1;
  bool typed = false;
  while (cursor.peek().kind == PtxTokenKind::word && cursor.peek().text.starts_with('.')) {
    const std::string_view word = cursor.take().text;
    uint64_t alignment = 0;
    if (word == ".align") {
      if (!parse_constant(cursor, alignment)) return false;
      if (alignment > 1 << 16) return cursor.fail("an alignment is too large");
      if (!std::has_single_bit(alignment)) return cursor.fail("an alignment is no power of two");
      // After the type it is the alignment of a pointer parameter's target.
      if (!typed) variable.alignment = static_cast<uint32_t>(alignment);
    } else if (word == ".v2" || word == ".v4") {
      vector = static_cast<uint32_t>(word[2] - '0');
    } else if (word == ".attribute") {
      if (!cursor.at('(')) return cursor.fail("an attribute has no name");
      while (!cursor.at_end() && !cursor.accept(')')) cursor.take();
    } else if (const PtxType* type = find_ptx_type(word.substr(1)); type != nullptr && !typed) {
      element = *type;
      typed = true;
    } else if (!typed || (word != ".ptr" && word != ".global" && word != ".shared" && word != ".const" &&
                          word != ".local" && word != ".param")) {
      return cursor.fail(fmt::format("'{}' is not understood in a declaration", word));
    }
  }
  if (!typed) return cursor.fail("a declaration has no type");
  variable.alignment = std::max(variable.alignment, element.bytes * vector);
  variable.bytes = uint64_t{element.bytes} * vector;
  return true;
}

bool parse_variable_name(PtxCursor& cursor, PtxVariable& variable, const PtxType& element) {
  if (!cursor.expect_word(variable.name)) return false;
  while (cursor.accept('[')) {
    uint64_t extent = 0;
    if (!cursor.at(']') && !parse_constant(cursor, extent)) return false;
    if (extent > kLargestVariable) return cursor.fail("a variable is too large");
    if (extent != 0 && variable.bytes > kLargestVariable / extent) return cursor.fail("a variable is too large");
    variable.bytes *= extent;
    if (!cursor.expect(']')) return false;
  }
  if (!cursor.accept('=')) return true;
  if (!Initialiser(cursor, variable, element).parse()) return false;
  if (variable.bytes == 0) variable.bytes = variable.initial.size();
  return variable.initial.size() <= variable.bytes || cursor.fail("there are more initial values than elements");
}

bool parse_variables(PtxCursor& cursor, std::vector<PtxVariable>& variables) {
  PtxVariable common;
  PtxType element;
  if (!parse_variable_type(cursor, common, element)) return false;
  do {
    PtxVariable variable = common;
    if (!parse_variable_name(cursor, variable, element)) return false;
    variables.push_back(std::move(variable));
  } while (cursor.accept(','));
  return cursor.expect(';');
}

bool parse_parameters(PtxCursor& cursor, std::vector<PtxVariable>& list) {
  if (!cursor.expect('(')) return false;
  while (!cursor.accept(')')) {
    PtxVariable parameter;
    PtxType element;
    if (!cursor.accept_word(".param") && !cursor.accept_word(".reg")) return cursor.fail("a parameter has no .param");
    if (!parse_variable_type(cursor, parameter, element) || !parse_variable_name(cursor, parameter, element))
      return false;
    list.push_back(std::move(parameter));
    if (!cursor.at(')') && !cursor.expect(',')) return false;
  }
  return true;
}

namespace {

class ModuleParser {
 public:
  ModuleParser(PtxCursor& cursor, PtxModule& module) : cursor_(cursor), module_(module) {}

  bool run() {
    while (!cursor_.at_end())
      if (!directive()) return false;
    return true;
  }

 private:
  bool directive() {
    std::string_view word;
    if (!cursor_.expect_word(word)) return false;
    if (word == ".version") return version();
    if (word == ".target") return target();
    if (word == ".address_size") return address_size();
    if (word == ".file") return file();
    if (word == ".section") return section();
    if (word == ".loc") return cursor_.fail("a .loc stands outside of a function");
    if (word == ".pragma" || word == ".alias") return cursor_.skip_statement();
    return declaration(word);
  }

  bool version() {
    const PtxToken token = cursor_.take();
    module_.version = token.text;
    return token.kind == PtxTokenKind::float64 || cursor_.fail(".version takes a number");
  }

  bool target() {
    if (!cursor_.expect_word(module_.target)) return false;
    std::string_view option;
    while (cursor_.accept(','))
      if (!cursor_.expect_word(option)) return false;
    return true;
  }

  bool address_size() {
    uint64_t bits = 0;
    if (!cursor_.expect_integer(bits, 64)) return false;
    return bits == 64 || cursor_.fail("only 64-bit addresses are supported");
  }

  bool file() {
    uint64_t number = 0;
    if (!cursor_.expect_integer(number, 1 << 20)) return false;
    const PtxToken name = cursor_.take();
    if (name.kind != PtxTokenKind::string) return cursor_.fail(".file takes a name");
    module_.files[static_cast<uint32_t>(number)] = name.text;
    uint64_t ignored = 0;  // time stamp and size
    while (cursor_.accept(','))
      if (!cursor_.expect_integer(ignored, ~uint64_t{0})) return false;
    return true;
  }

  bool section() {
    std::string_view name;
    if (!cursor_.expect_word(name)) return false;
    return cursor_.at('{') ? cursor_.skip_braces() : cursor_.expect('{');
  }

  bool declaration(std::string_view word) {
    bool is_extern = false;
    while (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") {
      is_extern = is_extern || word == ".extern";
      if (!cursor_.expect_word(word)) return false;
    }
    if (word == ".entry" || word == ".func") return function(word == ".entry");
    std::vector<PtxVariable>* space = word == ".global"   ? &module_.global
                                      : word == ".const"  ? &module_.constant
                                      : word == ".shared" ? &module_.shared
                                                          : nullptr;
    if (space == nullptr) return cursor_.fail(fmt::format("'{}' is not understood", word));
    const size_t before = space->size();
    if (!parse_variables(cursor_, *space)) return false;
    for (size_t i = before; i < space->size(); ++i) (*space)[i].is_extern = is_extern;
    return true;
  }

  bool function(bool is_entry) {
    PtxFunction function;
    function.is_entry = is_entry;
    if (cursor_.at('(') && !parse_parameters(cursor_, function.results)) return false;
    if (!cursor_.expect_word(function.name)) return false;
    if (cursor_.at('(') && !parse_parameters(cursor_, function.parameters)) return false;
    while (!cursor_.at('{') && !cursor_.at(';'))
      if (!performance_directive(function)) return false;
    if (cursor_.accept(';')) return true;  // a declaration of something defined elsewhere
    if (!parse_function_body(cursor_, function, module_.made_names)) return false;
    module_.functions.push_back(std::move(function));
    return true;
  }

  bool performance_directive(PtxFunction& function) {
    std::string_view word;
    if (!cursor_.expect_word(word)) return false;
    if (word == ".pragma") return cursor_.skip_statement();
    uint64_t value[3] = {1, 1, 1};
    if (cursor_.peek().kind == PtxTokenKind::integer) {
      for (uint64_t& extent : value) {
        if (!cursor_.expect_integer(extent, 1 << 16)) return false;
        if (!cursor_.accept(',')) break;
      }
    }
    for (size_t i = 0; i < 3; ++i) {
      if (word == ".maxntid") function.max_threads[i] = static_cast<uint32_t>(value[i]);
      if (word == ".reqntid") function.required_threads[i] = static_cast<uint32_t>(value[i]);
    }
    if (word == ".minnctapersm") function.min_blocks = static_cast<uint32_t>(value[0]);
    return true;
  }

  PtxCursor& cursor_;
  PtxModule& module_;
};

}  // namespace

Result<std::shared_ptr<const PtxModule>> parse_ptx(std::string text) {
  auto module = std::make_shared<PtxModule>();
  module->text = std::move(text);
  PtxCursor cursor(lex_ptx(module->text));
  if (!ModuleParser(cursor, *module).run()) return fail(ErrorId::ptx_syntax, cursor.error_line(), cursor.error());
  return module;
}

}  // namespace tilescope
