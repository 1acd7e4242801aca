#include "app/views/step/step_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

enum class VariableType : uint8_t { unknown, real32, real64, integer32, integer64, pointer };

/// The single variable that a line assigns.
struct Assignment {
  std::string_view variable;
  VariableType type = VariableType::unknown;
};

bool fits(VariableType type, const StepRegister& reg) {
  const bool real = reg.kind == ValueKind::f32 || reg.kind == ValueKind::f64 || reg.kind == ValueKind::f16 ||
                    reg.kind == ValueKind::bf16 || reg.kind == ValueKind::f16x2 || reg.kind == ValueKind::bf16x2;
  switch (type) {
    case VariableType::real32:
      return reg.bytes == 4 && reg.kind == ValueKind::f32;
    case VariableType::real64:
      return reg.bytes == 8 && reg.kind == ValueKind::f64;
    case VariableType::integer32:
      return reg.bytes == 4 && !real;
    case VariableType::integer64:
    case VariableType::pointer:
      return reg.bytes == 8 && !real;
    case VariableType::unknown:
      break;
  }
  return false;
}

class LineReader {
 public:
  explicit LineReader(std::string_view source) : tokens_(source_tokens(source)) {
    lines_.reserve(tokens_.size());
    size_t at = 0;
    uint32_t line = 1;
    for (const SourceToken& token : tokens_) {
      line += static_cast<uint32_t>(std::count(source.begin() + static_cast<std::ptrdiff_t>(at),
                                               source.begin() + static_cast<std::ptrdiff_t>(token.offset), '\n'));
      at = token.offset;
      lines_.push_back(line);
    }
  }

  /// By line; lines that assign no variable, or several, are omitted.
  std::map<uint32_t, Assignment> read() {
    std::map<uint32_t, std::set<std::string_view>> targets;
    std::map<uint32_t, Assignment> found;
    std::set<uint32_t> unclear;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == SourceToken::Kind::directive) continue;
      if (begins_line(i) && !begins_statement(i)) unclear.insert(lines_[i]);
      if (tokens_[i].kind != SourceToken::Kind::name || !is_target(i)) continue;
      targets[lines_[i]].insert(tokens_[i].text);
      if (!ends_on_its_line(i) || is_member(i)) unclear.insert(lines_[i]);
      if (const auto declared = declared_type(i)) types_[tokens_[i].text] = *declared;
      const auto type = types_.find(tokens_[i].text);
      found[lines_[i]] = {tokens_[i].text, type == types_.end() ? VariableType::unknown : type->second};
    }
    std::erase_if(found, [&](const auto& one) {
      return unclear.contains(one.first) || targets[one.first].size() != 1 || one.second.type == VariableType::unknown;
    });
    return found;
  }

 private:
  bool is(size_t token, std::string_view text) const { return token < tokens_.size() && tokens_[token].is(text); }
  bool touches(size_t token) const {  // no blank before it
    return token > 0 && token < tokens_.size() && tokens_[token - 1].end() == tokens_[token].offset;
  }

  bool begins_line(size_t token) const { return token == 0 || lines_[token - 1] != lines_[token]; }
  /// False: the line continues an earlier statement.
  bool begins_statement(size_t token) const {
    if (token == 0 || tokens_[token - 1].kind == SourceToken::Kind::directive) return true;
    constexpr std::array<std::string_view, 6> kEnds{";", "{", "}", ")", ":", "else"};
    return std::ranges::any_of(kEnds, [&](std::string_view end) { return tokens_[token - 1].is(end); });
  }
  bool ends_on_its_line(size_t token) const {
    for (size_t i = token; i < tokens_.size() && lines_[i] == lines_[token]; ++i)
      if (tokens_[i].is(";")) return true;
    return false;
  }
  bool is_member(size_t token) const { return token > 0 && (is(token - 1, ".") || is(token - 1, "->")); }

  /// x = …, x += …, ++x, x++.
  bool is_target(size_t token) const {
    if (is(token + 1, "=")) return !(is(token + 2, "=") && touches(token + 2));
    constexpr std::array<std::string_view, 8> kOperators{"+", "-", "*", "/", "%", "&", "|", "^"};
    for (const std::string_view sign : kOperators)
      if (is(token + 1, sign) && is(token + 2, "=") && touches(token + 2) &&
          !(is(token + 3, "=") && touches(token + 3)))
        return true;
    for (const std::string_view sign : {"<", ">"})
      if (is(token + 1, sign) && is(token + 2, sign) && touches(token + 2) && is(token + 3, "=") && touches(token + 3))
        return true;
    for (const std::string_view sign : {"+", "-"}) {
      if (is(token + 1, sign) && is(token + 2, sign) && touches(token + 2)) return true;
      if (token >= 2 && is(token - 1, sign) && is(token - 2, sign) && touches(token - 1) && touches(token)) return true;
    }
    return false;
  }

  /// Pointer for "const float* row =". Nothing if the words before the name are not a declaration.
  std::optional<VariableType> declared_type(size_t token) const {
    bool pointer = false, any = false;
    int longs = 0;
    VariableType type = VariableType::unknown;
    for (size_t i = token; i-- > 0 && lines_[i] == lines_[token];) {
      const SourceToken& word = tokens_[i];
      if (word.is("*")) {
        pointer = true;
      } else if (word.is("const") || word.is("__restrict__") || word.is("volatile") || word.is("constexpr")) {
        any = any || type != VariableType::unknown;
      } else if (word.is("long")) {
        ++longs;
        any = true;
      } else if (word.is("int") || word.is("unsigned") || word.is("signed") || word.is("int32_t") ||
                 word.is("uint32_t")) {
        if (type == VariableType::unknown) type = VariableType::integer32;
        any = true;
      } else if (word.is("float")) {
        type = VariableType::real32;
        any = true;
      } else if (word.is("double")) {
        type = VariableType::real64;
        any = true;
      } else if (word.is("size_t") || word.is("int64_t") || word.is("uint64_t")) {
        type = VariableType::integer64;
        any = true;
      } else if (word.kind == SourceToken::Kind::name && !word.is("return") && !word.is("else")) {
        return VariableType::unknown;  // an unknown type
      } else {
        break;
      }
    }
    if (pointer) return any ? std::optional(VariableType::pointer) : std::nullopt;
    if (longs > 0 && type != VariableType::real64) return VariableType::integer64;
    return any ? std::optional(type) : std::nullopt;
  }

  std::vector<SourceToken> tokens_;
  std::vector<uint32_t> lines_;  // by token
  std::map<std::string_view, VariableType> types_;
};

}  // namespace

std::vector<StepName> register_variables(const StepRecord& record, std::string_view source, std::string_view file) {
  std::vector<StepName> names(record.registers.size());
  const auto known = std::ranges::find(record.files, file);
  if (known == record.files.end()) return names;
  const auto wanted = static_cast<uint32_t>(known - record.files.begin());
  struct Registers {
    std::set<uint32_t> written, read;
  };
  std::map<uint32_t, Registers> of_line;
  for (const StepInstruction& instruction : record.instructions) {
    if (instruction.file != wanted || instruction.line == 0) continue;
    Registers& registers = of_line[instruction.line];
    for (const StepOperand& operand : instruction.writes) registers.written.insert(operand.reg);
    for (const StepOperand& operand : instruction.reads) registers.read.insert(operand.reg);
    if (instruction.address_register != Step::kNone) registers.read.insert(instruction.address_register);
  }
  std::set<uint32_t> contested;
  for (const auto& [line, assignment] : LineReader(source).read()) {
    const auto registers = of_line.find(line);
    if (registers == of_line.end()) continue;
    std::vector<uint32_t> left;
    for (const uint32_t reg : registers->second.written)
      if (fits(assignment.type, record.registers[reg]) && !registers->second.read.contains(reg)) left.push_back(reg);
    if (left.size() != 1) continue;
    StepName& name = names[left.front()];
    if (!name.variable.empty() && name.variable != assignment.variable) contested.insert(left.front());
    name = {std::string(assignment.variable), line};
  }
  for (const uint32_t reg : contested) names[reg] = {};
  return names;
}

}  // namespace tilescope
