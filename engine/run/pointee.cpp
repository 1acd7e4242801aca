#include "engine/run/pointee.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

struct NamedType {
  std::string_view name;
  DType type;
};
constexpr auto kNamed = std::to_array<NamedType>({{"float", DType::f32},
                                                  {"double", DType::f64},
                                                  {"half", DType::f16},
                                                  {"__half", DType::f16},
                                                  {"__nv_fp8_e4m3", DType::f8e4m3},
                                                  {"__nv_fp8_e5m2", DType::f8e5m2},
                                                  {"nv_bfloat16", DType::bf16},
                                                  {"__nv_bfloat16", DType::bf16},
                                                  {"bool", DType::boolean},
                                                  {"char", DType::i8},
                                                  {"uchar", DType::u8},
                                                  {"short", DType::i16},
                                                  {"ushort", DType::u16},
                                                  {"int", DType::i32},
                                                  {"uint", DType::u32},
                                                  {"unsigned", DType::u32},
                                                  {"signed", DType::i32},
                                                  {"long", DType::i64},
                                                  {"longlong", DType::i64},
                                                  {"ulonglong", DType::u64},
                                                  {"int8_t", DType::i8},
                                                  {"uint8_t", DType::u8},
                                                  {"int16_t", DType::i16},
                                                  {"uint16_t", DType::u16},
                                                  {"int32_t", DType::i32},
                                                  {"uint32_t", DType::u32},
                                                  {"int64_t", DType::i64},
                                                  {"uint64_t", DType::u64},
                                                  {"size_t", DType::u64}});

std::optional<DType> named(std::string_view name) {
  for (const NamedType& one : kNamed)
    if (one.name == name) return one.type;
  return std::nullopt;
}

/// "unsigned long long", with its words in any order.
std::optional<DType> fundamental(const std::vector<std::string>& words) {
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  for (const std::string& word : words)
    if (!named(word)) return std::nullopt;
  if (words.size() == 1) return named(words[0]);
  if (!std::all_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "unsigned" || word == "signed" || word == "char" || word == "short" || word == "int" ||
               word == "long" || word == "double";
      }))
    return std::nullopt;
  const bool is_unsigned = has("unsigned");
  if (has("double")) return std::nullopt;  // long double
  if (has("char")) return is_unsigned ? DType::u8 : DType::i8;
  if (has("short")) return is_unsigned ? DType::u16 : DType::i16;
  if (has("long")) return is_unsigned ? DType::u64 : DType::i64;
  return is_unsigned ? DType::u32 : DType::i32;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

struct Parts {
  std::vector<std::string> words;
  int stars = 0;
};

/// A type or a declaration; nothing if it has templates, brackets or references.
std::optional<Parts> take_apart(std::string_view text) {
  constexpr std::array<std::string_view, 7> kQualifiers{"const",     "volatile", "__restrict__", "__restrict",
                                                        "__const__", "restrict", "struct"};
  Parts parts;
  for (const SourceToken& token : source_tokens(text)) {
    if (token.is("*")) {
      ++parts.stars;
      continue;
    }
    if (token.is("::") || (token.is("std") && parts.words.empty())) continue;
    if (token.kind != SourceToken::Kind::name) return std::nullopt;
    if (std::find(kQualifiers.begin(), kQualifiers.end(), token.text) != kQualifiers.end()) continue;
    if (parts.stars == 0) parts.words.emplace_back(token.text);
  }
  return parts;
}

/// The source's type aliases: by using, typedef and #define, or the command line's defines.
class Aliases {
 public:
  Aliases(const std::string& source_text, const std::vector<Define>& defines) : defines_(defines) {
    for (const SourceToken& token : source_tokens(source_text)) tokens_.push_back(token);
  }

  /// Nothing if there are several different definitions: which one is compiled is unknown here.
  std::optional<Parts> find(const std::string& name) const {
    std::set<std::string> texts;
    for (const Define& define : defines_)
      if (define.name == name) texts.insert(define.value);
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (directive_name(tokens_[i]) == "define") add_define(tokens_[i], name, texts);
      if (tokens_[i].is("using") && i + 3 < tokens_.size() && tokens_[i + 1].is(name) && tokens_[i + 2].is("="))
        texts.insert(text_until_semicolon(i + 3));
      if (tokens_[i].is("typedef")) add_typedef(i, name, texts);
    }
    return texts.size() == 1 ? take_apart(*texts.begin()) : std::nullopt;
  }

 private:
  static void add_define(const SourceToken& token, const std::string& name, std::set<std::string>& texts) {
    const std::string_view rest = directive_rest(token);
    if (rest.starts_with(name) && rest.size() > name.size() && (rest[name.size()] == ' ' || rest[name.size()] == '\t'))
      texts.insert(std::string(rest.substr(name.size() + 1)));
  }
  std::string text_until_semicolon(size_t i) const {
    std::vector<std::string> words;
    for (; i < tokens_.size() && !tokens_[i].is(";"); ++i) words.emplace_back(tokens_[i].text);
    return joined(words);
  }
  void add_typedef(size_t i, const std::string& name, std::set<std::string>& texts) const {
    size_t end = i;
    while (end < tokens_.size() && !tokens_[end].is(";") && !tokens_[end].is("{")) ++end;
    if (end >= tokens_.size() || !tokens_[end].is(";") || end < i + 3 || !tokens_[end - 1].is(name)) return;
    std::vector<std::string> words;
    for (size_t k = i + 1; k + 1 < end; ++k) words.emplace_back(tokens_[k].text);
    texts.insert(joined(words));
  }

  std::vector<SourceToken> tokens_;
  const std::vector<Define>& defines_;
};

/// "float4" is four floats; integer vectors may carry any type.
std::optional<Pointee> element_named(const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  Pointee pointee;
  pointee.text = joined(words);
  if (const auto type = fundamental(words)) {
    pointee.type = *type;
    pointee.holds_anything = words.size() == 1 && words[0] == "char";
    return pointee;
  }
  const std::string& word = words.back();
  if (words.size() != 1 || word.back() < '1' || word.back() > '4') return std::nullopt;
  const auto type = named(std::string_view(word).substr(0, word.size() - 1));
  if (!type) return std::nullopt;
  pointee.type = *type;
  pointee.holds_anything = !is_floating(*type);
  return pointee;
}

std::optional<Pointee> pointee_of(const std::string& text, const Aliases* aliases) {
  auto parts = take_apart(text);
  if (!parts) return std::nullopt;
  for (int depth = 0; aliases != nullptr && depth < 4; ++depth) {
    if (parts->words.size() != 1 || element_named(parts->words)) break;
    const auto alias = aliases->find(parts->words[0]);
    if (!alias) break;
    parts->words = alias->words;
    parts->stars += alias->stars;
  }
  if (parts->stars != 1 && parts->stars != 2) return std::nullopt;
  auto pointee = element_named(parts->words);
  if (pointee) pointee->is_pointer = parts->stars == 2;
  return pointee;
}

/// "(float const*, Tile<int, 4>)" → its types.
std::vector<std::string> types_in(std::string_view list) {
  std::vector<std::string> types;
  if (!list.starts_with('(') || !list.ends_with(')')) return types;
  list = list.substr(1, list.size() - 2);
  int depth = 0;
  std::string one;
  for (const char c : list) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      types.push_back(std::exchange(one, {}));
      continue;
    }
    one += c;
  }
  if (!one.empty()) types.push_back(one);
  return types;
}

}  // namespace

std::vector<std::optional<Pointee>> pointees_of(const std::string& entry, const std::vector<std::string>& declared,
                                                const std::string& source_text, const std::vector<Define>& defines) {
  std::vector<std::optional<Pointee>> pointees;
  const std::string signature = kernel_signature(entry);
  if (signature != entry) {
    for (const std::string& type : types_in(std::string_view(signature).substr(kernel_name(entry).size())))
      pointees.push_back(pointee_of(type, nullptr));
    return pointees;
  }
  const Aliases aliases(source_text, defines);
  for (const std::string& one : declared) pointees.push_back(pointee_of(one, &aliases));
  return pointees;
}

bool fits(DType held, const Pointee& pointee) {
  if (held == pointee.type || pointee.holds_anything) return true;
  if (size_of(held) != size_of(pointee.type)) return false;
  // Frameworks also keep numbers of 8 bits as bytes.
  return (!is_floating(held) && !is_floating(pointee.type)) || held == DType::u8;
}

}  // namespace tilescope
