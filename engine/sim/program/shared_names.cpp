#include "engine/sim/program/shared_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "engine/sim/program/program.hpp"
#include "engine/sim/ptx/source_names.hpp"

namespace tilescope {
namespace {

using Words = std::vector<std::string_view>;
/// The replacement of a name: the expression of a constant or a macro, the argument of a template parameter.
using Meanings = std::map<std::string_view, Words>;

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(std::string_view word) {
  return !word.empty() && is_name_part(word[0]) && std::isdigit(static_cast<unsigned char>(word[0])) == 0;
}

/// Splits the text into names, numbers and signs. A line end is a separate word if it ends a directive.
Words words_of(std::string_view text) {
  Words words;
  bool directive = false;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '\n') {
      at += 2;
    } else if (text[at] == '\n' || std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      size_t end = at + 1;
      if (is_name_part(text[at]))
        while (end < text.size() && is_name_part(text[end])) ++end;
      if (text[at] == '"' || text[at] == '\'') {
        while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
        end = std::min(end + 1, text.size());
      }
      if (text.substr(at, 2) == "<<" || text.substr(at, 2) == "::") end = at + 2;
      if (text[at] != '\n' || directive) words.push_back(text.substr(at, end - at));
      directive = text[at] == '#' || (directive && text[at] != '\n');
      at = end;
    } else {
      ++at;
    }
  }
  return words;
}

/// An integer expression of constants; nothing if a part of it is unknown.
class Expression {
 public:
  Expression(const Words& words, const Meanings& meanings, int depth = 0)
      : words_(words), meanings_(meanings), depth_(depth) {}
  std::optional<int64_t> value() {
    const auto result = sum();
    return at_ == words_.size() ? result : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 16;
  bool take(std::string_view sign) {
    if (at_ >= words_.size() || words_[at_] != sign) return false;
    ++at_;
    return true;
  }
  std::optional<int64_t> sum() {
    auto left = product();
    while (left) {
      const bool plus = take("+"), minus = !plus && take("-"), shift = !plus && !minus && take("<<");
      if (!plus && !minus && !shift) return left;
      const auto right = product();
      if (!right || (shift && (*right < 0 || *right > 40))) return std::nullopt;
      left = plus ? *left + *right : minus ? *left - *right : *left << *right;
    }
    return left;
  }
  std::optional<int64_t> product() {
    auto left = atom();
    while (left) {
      const bool times = take("*"), over = !times && take("/"), rest = !times && !over && take("%");
      if (!times && !over && !rest) return left;
      const auto right = atom();
      if (!right || (!times && *right == 0)) return std::nullopt;
      if (times && (*left > (int64_t{1} << 31) || *right > (int64_t{1} << 31))) return std::nullopt;
      left = times ? *left * *right : over ? *left / *right : *left % *right;
    }
    return left;
  }
  std::optional<int64_t> atom() {
    if (take("(")) {
      const auto inside = sum();
      return take(")") ? inside : std::nullopt;
    }
    if (at_ >= words_.size()) return std::nullopt;
    const std::string_view word = words_[at_++];
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return number(word);
    const auto meaning = meanings_.find(word);
    if (meaning == meanings_.end() || depth_ >= kDeepest) return std::nullopt;
    return Expression(meaning->second, meanings_, depth_ + 1).value();
  }
  static std::optional<int64_t> number(std::string_view word) {
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    const int64_t base = hexadecimal ? 16 : 10;
    int64_t value = 0;
    for (char c : word.substr(hexadecimal ? 2 : 0)) {
      const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (lower == 'u' || lower == 'l') continue;
      const int digit = std::isdigit(static_cast<unsigned char>(c)) != 0 ? c - '0' : lower - 'a' + 10;
      if (digit < 0 || digit >= base || value > (int64_t{1} << 40)) return std::nullopt;
      value = value * base + digit;
    }
    return value;
  }

  const Words& words_;
  const Meanings& meanings_;
  size_t at_ = 0;
  int depth_;
};

/// The index after the bracket that closes the one at `open`.
size_t behind(const Words& words, size_t open) {
  static constexpr std::array<std::string_view, 4> kOpen = {"(", "[", "{", "<"}, kClose = {")", "]", "}", ">"};
  const auto kind = std::find(kOpen.begin(), kOpen.end(), words[open]) - kOpen.begin();
  if (kind == static_cast<ptrdiff_t>(kOpen.size())) return open + 1;
  int depth = 0;
  for (size_t i = open; i < words.size(); ++i) {
    if (words[i] == kOpen[static_cast<size_t>(kind)]) ++depth;
    if (words[i] == kClose[static_cast<size_t>(kind)] && --depth == 0) return i + 1;
  }
  return words.size();
}

/// Parts between commas at the outermost level.
std::vector<Words> split(const Words& words, size_t first, size_t end) {
  std::vector<Words> parts(1);
  for (size_t i = first; i < end;) {
    const size_t next =
        words[i] == "(" || words[i] == "[" || words[i] == "{" || words[i] == "<" ? behind(words, i) : i + 1;
    if (words[i] == ",")
      parts.emplace_back();
    else
      parts.back().insert(parts.back().end(), words.begin() + static_cast<ptrdiff_t>(i),
                          words.begin() + static_cast<ptrdiff_t>(std::min(next, end)));
    i = next;
  }
  return parts;
}

/// Macros without parameters, and const or constexpr integers. A name with two meanings is ignored.
void add_constants(const Words& words, size_t first, size_t end, Meanings& meanings) {
  std::map<std::string_view, int> times;
  const auto add = [&](std::string_view name, size_t from, size_t to) {
    Words meaning(words.begin() + static_cast<ptrdiff_t>(from), words.begin() + static_cast<ptrdiff_t>(to));
    if (++times[name] > 1 && meanings[name] != meaning)
      meanings[name] = {"?"};
    else
      meanings[name] = std::move(meaning);
  };
  for (size_t i = first; i + 3 < end; ++i) {
    if (words[i] == "#" && words[i + 1] == "define") {
      size_t stop = i + 3;
      while (stop < end && words[stop] != "\n") ++stop;
      if (stop > i + 3) add(words[i + 2], i + 3, stop);
      i = stop;
    } else if ((words[i] == "const" || words[i] == "constexpr") && is_name(words[i + 1])) {
      size_t stop = i + 1;
      while (stop < end && words[stop] != ";" && words[stop] != "{" && words[stop] != ")") ++stop;
      if (stop >= end || words[stop] != ";") continue;
      for (const Words& part : split(words, i + 1, stop)) {
        const auto equals = std::find(part.begin(), part.end(), "=");
        if (equals == part.begin() || equals == part.end() || !is_name(*(equals - 1))) continue;
        const auto from = static_cast<size_t>(&*equals - part.data()) + 1;
        Words meaning(part.begin() + static_cast<ptrdiff_t>(from), part.end());
        if (++times[*(equals - 1)] > 1 && meanings[*(equals - 1)] != meaning) meaning = {"?"};
        meanings[*(equals - 1)] = std::move(meaning);
      }
    }
  }
}

/// A function from its readable symbol: "void ns::gemm<64, 8>(float*)".
struct FunctionName {
  std::string name;
  std::string arguments;  // of the template: "64, 8"
};
FunctionName function_name(std::string_view readable) {
  size_t end = readable.find('(');
  end = std::min(end, readable.size());
  FunctionName result;
  std::string_view text = readable.substr(0, end);
  // A template's parameters may contain brackets; only the outermost ones of its arguments count.
  if (const size_t open = readable.find('<'); open < end) {
    int depth = 0;
    size_t close = open;
    for (; close < readable.size(); ++close) {
      if (readable[close] == '<') ++depth;
      if (readable[close] == '>' && --depth == 0) break;
    }
    result.arguments = readable.substr(open + 1, close - open - 1);
    text = readable.substr(0, open);
  }
  size_t begin = text.size();
  while (begin > 0 && is_name_part(text[begin - 1])) --begin;
  result.name = text.substr(begin);
  return result;
}

/// The body of a function: the words between its braces, and those of the preceding template parameter list.
struct Body {
  size_t first = 0, end = 0, parameters = 0, parameters_end = 0;
};
std::vector<Body> bodies_of(const Words& words, std::string_view name) {
  std::vector<Body> bodies;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != name || words[i + 1] != "(") continue;
    size_t open = behind(words, i + 1);
    if (open >= words.size() || words[open] != "{") continue;
    Body body{open + 1, behind(words, open) - 1, 0, 0};
    // Searches back to the end of the preceding declaration.
    for (size_t k = i; k > 0 && words[k - 1] != ";" && words[k - 1] != "}"; --k) {
      if (words[k - 1] != "template" || words[k] != "<") continue;
      body.parameters = k + 1;
      body.parameters_end = behind(words, k) - 1;
      break;
    }
    bodies.push_back(body);
  }
  return bodies;
}

uint64_t bytes_of_type(std::string_view type) {
  static const std::map<std::string_view, uint64_t> kBytes = {
      {"char", 1},           {"bool", 1},     {"int8_t", 1},  {"uint8_t", 1},  {"short", 2},
      {"int16_t", 2},        {"uint16_t", 2}, {"half", 2},    {"__half", 2},   {"__nv_bfloat16", 2},
      {"nv_bfloat16", 2},    {"ushort", 2},   {"int", 4},     {"unsigned", 4}, {"float", 4},
      {"int32_t", 4},        {"uint32_t", 4}, {"uint", 4},    {"half2", 4},    {"__half2", 4},
      {"__nv_bfloat162", 4}, {"double", 8},   {"int64_t", 8}, {"uint64_t", 8}, {"size_t", 8},
      {"float2", 8},         {"int2", 8},     {"uint2", 8},   {"double2", 16}, {"float4", 16},
      {"int4", 16},          {"uint4", 16},   {"float3", 12}, {"int3", 12},    {"long", 8}};
  const auto found = kBytes.find(type);
  return found == kBytes.end() ? 0 : found->second;
}

/// The size of the type before a declarator; 0: unknown.
uint64_t bytes_of_type(const Words& words, size_t first, size_t end, const Meanings& meanings) {
  uint64_t bytes = 0;
  for (size_t i = first; i < end;) {
    if (words[i] == "(" || words[i] == "<") {
      i = behind(words, i);
      continue;
    }
    std::string_view word = words[i++];
    if (const auto meaning = meanings.find(word); meaning != meanings.end() && meaning->second.size() == 1)
      word = meaning->second[0];
    if (word == "long") return 8;
    if (const uint64_t known = bytes_of_type(word); known != 0)
      bytes = word == "unsigned" && bytes != 0 ? bytes : known;
  }
  return bytes;
}

std::optional<ArrayShape> shape_in(const Words& words, size_t first, size_t end, std::string_view name, uint64_t bytes,
                                   const Meanings& meanings) {
  for (size_t i = first; i < end; ++i) {
    if (words[i] != "__shared__") continue;
    size_t stop = i;
    while (stop < end && words[stop] != ";") ++stop;
    for (size_t k = i + 1; k < stop; ++k) {
      if (words[k] != name || (k + 1 < stop && words[k + 1] != "[" && words[k + 1] != "," && words[k + 1] != "="))
        continue;
      // The type precedes the first declarator.
      size_t type_end = i + 1;
      while (type_end < k && words[type_end] != "[" && words[type_end] != ",") ++type_end;
      if (type_end < k) --type_end;
      ArrayShape shape;
      shape.element_bytes = bytes_of_type(words, i + 1, type_end, meanings);
      uint64_t elements = 1;
      for (size_t d = k + 1; d < stop && words[d] == "["; d = behind(words, d)) {
        const Words extent(words.begin() + static_cast<ptrdiff_t>(d + 1),
                           words.begin() + static_cast<ptrdiff_t>(behind(words, d) - 1));
        const auto value = extent.empty() ? std::optional<int64_t>(0) : Expression(extent, meanings).value();
        if (!value || *value < 0 || (*value == 0 && !shape.extents.empty())) return std::nullopt;
        shape.extents.push_back(static_cast<uint64_t>(*value));
        elements *= static_cast<uint64_t>(*value);
      }
      if (shape.element_bytes == 0 && elements != 0 && bytes % elements == 0) shape.element_bytes = bytes / elements;
      if (shape.element_bytes == 0 || (bytes != 0 && elements * shape.element_bytes != bytes)) return std::nullopt;
      return shape;
    }
  }
  return std::nullopt;
}

bool is_used(const Program& program, std::string_view symbol) {
  return std::any_of(
      program.function->instructions.begin(), program.function->instructions.end(),
      [&](const PtxInstruction& instruction) {
        const std::string_view text = instruction.text;
        for (size_t at = text.find(symbol); at != std::string_view::npos; at = text.find(symbol, at + 1)) {
          const size_t end = at + symbol.size();
          if ((at == 0 || !is_name_part(text[at - 1])) && (end == text.size() || !is_name_part(text[end]))) return true;
        }
        return false;
      });
}

}  // namespace

std::optional<ArrayShape> shared_shape(std::string_view source, std::string_view symbol, std::string_view kernel,
                                       uint64_t bytes) {
  const Words words = words_of(source);
  Meanings constants;
  add_constants(words, 0, words.size(), constants);
  const bool is_local = !local_name(symbol).empty();
  // "void gemm<64>(float*)::Bs" is in the function that its symbol names; an extern array is in the kernel, or before
  // it.
  const std::string name = variable_name(symbol);
  std::string readable = readable_name(is_local ? symbol : kernel);
  if (is_local) readable.resize(std::min(readable.rfind("::" + name), readable.size()));
  const FunctionName function = function_name(readable);
  const Words arguments = words_of(function.arguments);
  const std::vector<Words> given = split(arguments, 0, arguments.size());
  for (const Body& body : bodies_of(words, function.name)) {
    Meanings meanings = constants;
    add_constants(words, body.first, body.end, meanings);
    const auto parameters = split(words, body.parameters, body.parameters_end);
    for (size_t i = 0; i < std::min(parameters.size(), given.size()); ++i) {
      const auto& parameter = parameters[i];
      const auto equals = std::find(parameter.begin(), parameter.end(), "=");
      if (equals == parameter.begin()) continue;
      Words argument = given[i];
      if (argument.size() > 3 && argument[0] == "(") argument.erase(argument.begin(), argument.begin() + 3);  // "(T)1"
      meanings[*(equals - 1)] = argument;
    }
    if (auto shape = shape_in(words, body.first, body.end, name, bytes, meanings)) return shape;
  }
  if (!is_local) return shape_in(words, 0, words.size(), name, bytes, constants);
  return std::nullopt;
}

const SharedNames::Known& SharedNames::known(size_t variable) const {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = known_.try_emplace(variable);
  if (!is_new) return place->second;
  const SharedVariable& of = program_.shared_variables[variable];
  place->second.is_used = is_used(program_, of.symbol);
  if (place->second.is_used && source_ != nullptr)
    place->second.shape = shared_shape(*source_, of.symbol, program_.function->name, of.bytes);
  return place->second;
}

std::optional<std::string> SharedNames::element(uint64_t offset) const {
  if (offset >= shared_bytes_) return std::nullopt;
  for (size_t i = 0; i < program_.shared_variables.size(); ++i) {
    const SharedVariable& variable = program_.shared_variables[i];
    const uint64_t end = variable.bytes == 0 ? shared_bytes_ : variable.first + variable.bytes;
    if (offset < variable.first || offset >= end || !known(i).is_used) continue;
    const std::string name = variable_name(variable.symbol);
    uint64_t left = offset - variable.first;
    const auto& shape = known(i).shape;
    if (!shape) return left == 0 && end - variable.first <= 8 ? name : fmt::format("{}+{}", name, left);
    std::string text;
    uint64_t element = left / shape->element_bytes;
    left %= shape->element_bytes;
    for (size_t d = shape->extents.size(); d-- > 0;) {
      const uint64_t extent = d == 0 ? 0 : shape->extents[d];
      text.insert(0, fmt::format("[{}]", extent == 0 ? element : element % extent));
      if (extent != 0) element /= extent;
    }
    return name + text + (left == 0 ? std::string() : fmt::format("+{}", left));
  }
  return std::nullopt;
}

std::string SharedNames::dynamic_arrays() const {
  std::string names;
  for (size_t i = 0; i < program_.shared_variables.size(); ++i)
    if (program_.shared_variables[i].bytes == 0 && known(i).is_used)
      names += (names.empty() ? "" : ", ") + variable_name(program_.shared_variables[i].symbol);
  return names;
}

}  // namespace tilescope
