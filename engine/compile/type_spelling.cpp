#include "engine/compile/type_spelling.hpp"

#include <algorithm>
#include <array>

#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;
using Names = std::map<std::string, std::string>;

constexpr auto kFundamental = std::to_array<std::string_view>(
    {"unsigned", "signed", "char", "short", "int", "long", "float", "double", "bool", "void"});
constexpr auto kIgnored =
    std::to_array<std::string_view>({"struct", "class", "enum", "typename", "__restrict__", "__restrict", "restrict"});

/// A type name as defined by this compiler's headers.
struct Alias {
  std::string_view name, type;
};
constexpr auto kAliases = std::to_array<Alias>({
    {"size_t", "unsigned long"},
    {"ptrdiff_t", "long"},
    {"int8_t", "signed char"},
    {"int16_t", "short"},
    {"int32_t", "int"},
    {"int64_t", "long long"},
    {"uint8_t", "unsigned char"},
    {"uint16_t", "unsigned short"},
    {"uint32_t", "unsigned int"},
    {"uint64_t", "unsigned long long"},
    {"uchar", "unsigned char"},
    {"ushort", "unsigned short"},
    {"uint", "unsigned int"},
    {"ulong", "unsigned long"},
    {"half", "__half"},
    {"half2", "__half2"},
    {"nv_bfloat16", "__nv_bfloat16"},
    {"nv_bfloat162", "__nv_bfloat162"},
});

template <size_t N>
bool is_word_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

/// "unsigned long long int" and "long unsigned long" → "unsigned long long".
std::string fundamental_type(const std::vector<std::string>& words) {
  const auto count = [&](std::string_view word) { return std::ranges::count(words, word); };
  if (count("char") > 0) return count("unsigned") > 0 ? "unsigned char" : count("signed") > 0 ? "signed char" : "char";
  for (const char* word : {"float", "bool", "void"})
    if (count(word) > 0) return word;
  if (count("double") > 0) return count("long") > 0 ? "long double" : "double";
  const std::string sign = count("unsigned") > 0 ? "unsigned " : "";
  if (count("short") > 0) return sign + "short";
  if (count("long") > 0) return sign + (count("long") > 1 ? "long long" : "long");
  return sign + "int";
}

/// 128u, 128UL and (Mode)128 are 128; true is 1.
std::string canonical_number(std::string_view text) {
  std::string digits(text);
  const bool is_whole = digits.find_first_of(".xX") == std::string::npos;
  while (is_whole && digits.size() > 1 && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  return digits;
}

/// Reads one type, or the value of a template argument.
class TypeReader {
 public:
  TypeReader(std::string_view text, const Names& names) : text_(text), names_(names), tokens_(source_tokens(text)) {}

  std::string read() {
    read_base();
    std::string type = base();
    if (is_const_) type += " const";
    if (is_volatile_) type += " volatile";
    return type + read_declarator();
  }

 private:
  bool at_end() const { return at_ >= tokens_.size(); }
  const SourceToken& token() const { return tokens_[at_]; }

  void read_base() {
    for (; !at_end(); ++at_) {
      const std::string word(token().text);
      if (token().is("const")) {
        is_const_ = true;
      } else if (token().is("volatile")) {
        is_volatile_ = true;
      } else if (token().is("<")) {
        take_template_arguments();
      } else if (token().is("::")) {
        if (!rest_.empty()) rest_ += "::", joined_ = true;
      } else if (token().kind == Kind::name) {
        if (is_word_of(word, kIgnored)) continue;
        if (is_word_of(word, kFundamental) && rest_.empty()) {
          words_.push_back(word);
        } else if (words_.empty() && (rest_.empty() || joined_)) {
          rest_ += rest_.empty() ? meaning(word) : word;
          joined_ = false;
        }  // else: the name of the parameter
      } else if (token().kind == Kind::number) {
        rest_ += canonical_number(word);
      } else if (token().is("-") && rest_.empty()) {
        rest_ = "-";
      } else if (token().is("(") && rest_.empty() && words_.empty()) {
        skip_cast();
      } else {
        return;
      }
    }
  }

  /// (Mode)1, a demangler's form of an enumeration value.
  void skip_cast() {
    while (!at_end() && !token().is(")")) ++at_;
  }

  /// The meaning of an unqualified name.
  std::string meaning(const std::string& name) const {
    if (name == "true") return "1";
    if (name == "false") return "0";
    if (const auto found = names_.find(name); found != names_.end()) return canonical_type(found->second);
    const auto* alias = std::ranges::find(kAliases, name, &Alias::name);
    return alias == kAliases.end() ? name : std::string(alias->type);
  }

  void take_template_arguments() {
    int depth = 0;
    const size_t begin = token().end();
    size_t end = text_.size();
    for (; !at_end(); ++at_) {
      if (token().is("<")) ++depth;
      if (token().is("<<<")) depth += 3;
      const int closed = token().is(">>>") ? 3 : token().is(">") ? 1 : 0;
      depth -= closed;
      if (closed > 0 && depth <= 0) {
        end = token().end() - 1;
        break;
      }
    }
    rest_ += "<" + canonical_types(text_.substr(begin, end - begin), names_) + ">";
  }

  std::string base() const { return words_.empty() ? rest_ : fundamental_type(words_); }

  /// Pointers, references and arrays; a pointer's const is kept only if it applies to its target.
  std::string read_declarator() {
    std::string text;
    for (; !at_end(); ++at_) {
      if (token().is("const") && !text.empty()) {
        text += " const";
      } else if (token().is("[")) {
        text += "*";
        while (!at_end() && !token().is("]")) ++at_;
        if (at_end()) break;
      } else if (token().is("(")) {  // a pointer to a function: kept as written
        for (; !at_end(); ++at_) text += token().text;
        break;
      } else if (token().kind == Kind::name) {
        // __restrict__, or the name
      } else {
        text += token().text;
      }
    }
    if (text.ends_with(" const")) text.resize(text.size() - 6);
    return text;
  }

  std::string_view text_;
  const Names& names_;
  std::vector<SourceToken> tokens_;
  size_t at_ = 0;
  std::vector<std::string> words_;  // for a fundamental type
  std::string rest_;                // for any other type, or a value
  bool joined_ = false;             // rest_ ends in "::"
  bool is_const_ = false, is_volatile_ = false;
};

}  // namespace

std::vector<std::string> split_types(std::string_view list) {
  std::vector<std::string> pieces;
  int depth = 0;
  size_t begin = std::string_view::npos, end = 0;
  for (const SourceToken& token : source_tokens(list)) {
    if (token.is("(") || token.is("<") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is(">") || token.is("]") || token.is("}")) --depth;
    if (token.is(">>>")) depth -= 3;
    if (token.is(",") && depth == 0) {
      if (begin != std::string_view::npos) pieces.emplace_back(list.substr(begin, end - begin));
      begin = std::string_view::npos;
      continue;
    }
    if (begin == std::string_view::npos) begin = token.offset;
    end = token.end();
  }
  if (begin != std::string_view::npos) pieces.emplace_back(list.substr(begin, end - begin));
  return pieces;
}

std::string canonical_type(std::string_view parameter, const Names& names) {
  std::string type = TypeReader(parameter, names).read();
  // Top-level const and volatile of a value parameter do not concern the caller.
  for (const std::string_view own : {" volatile", " const"})
    if (type.ends_with(own)) type.resize(type.size() - own.size());
  return type;
}

std::string canonical_types(std::string_view list, const Names& names) {
  std::string text;
  for (const std::string& one : split_types(list)) text += (text.empty() ? "" : ",") + canonical_type(one, names);
  return text == "void" ? "" : text;
}

bool is_texture_object(std::string_view declaration) {
  const std::vector<SourceToken> tokens = source_tokens(declaration);
  const auto is_one = [](const SourceToken& token) {
    return token.is("cudaTextureObject_t") || token.is("CUtexObject");
  };
  return std::ranges::any_of(tokens, is_one) &&
         std::ranges::none_of(tokens, [](const SourceToken& token) { return token.is("*"); });
}

std::string type_of_parameter(std::string_view parameter) { return canonical_type(parameter); }

}  // namespace tilescope
