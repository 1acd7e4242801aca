#include "app/sandbox/reading/parameter_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

struct KnownType {
  std::string_view name;
  DType type;
  int components = 1;
  size_t alignment = 0;  // 0: that of one component
};

// CUDA C++ Programming Guide, "Built-in Vector Types": alignments of the vectors.
constexpr auto kKnownTypes = std::to_array<KnownType>({
    {"float", DType::f32},
    {"double", DType::f64},
    {"half", DType::f16},
    {"__half", DType::f16},
    {"half2", DType::f16, 2, 4},
    {"__half2", DType::f16, 2, 4},
    {"nv_bfloat16", DType::bf16},
    {"__nv_bfloat16", DType::bf16},
    {"nv_bfloat162", DType::bf16, 2, 4},
    {"__nv_bfloat162", DType::bf16, 2, 4},
    {"__nv_fp8_e4m3", DType::f8e4m3},
    {"__nv_fp8_e5m2", DType::f8e5m2},
    {"char", DType::i8},
    {"int8_t", DType::i8},
    {"uint8_t", DType::u8},
    {"uchar", DType::u8},
    {"bool", DType::boolean},
    {"short", DType::i16},
    {"int16_t", DType::i16},
    {"uint16_t", DType::u16},
    {"ushort", DType::u16},
    {"int", DType::i32},
    {"int32_t", DType::i32},
    {"unsigned", DType::u32},
    {"uint", DType::u32},
    {"uint32_t", DType::u32},
    {"long", DType::i64},
    {"int64_t", DType::i64},
    {"ptrdiff_t", DType::i64},
    {"ssize_t", DType::i64},
    {"uint64_t", DType::u64},
    {"size_t", DType::u64},
    {"clock_t", DType::i64},
    {"float2", DType::f32, 2, 8},
    {"float3", DType::f32, 3},
    {"float4", DType::f32, 4, 16},
    {"double2", DType::f64, 2, 16},
    {"double3", DType::f64, 3},
    {"double4", DType::f64, 4, 16},
    {"char2", DType::i8, 2, 2},
    {"char4", DType::i8, 4, 4},
    {"uchar2", DType::u8, 2, 2},
    {"uchar3", DType::u8, 3},
    {"uchar4", DType::u8, 4, 4},
    {"short2", DType::i16, 2, 4},
    {"short4", DType::i16, 4, 8},
    {"ushort2", DType::u16, 2, 4},
    {"ushort4", DType::u16, 4, 8},
    {"int2", DType::i32, 2, 8},
    {"int3", DType::i32, 3},
    {"int4", DType::i32, 4, 16},
    {"uint2", DType::u32, 2, 8},
    {"uint3", DType::u32, 3},
    {"uint4", DType::u32, 4, 16},
    {"longlong2", DType::i64, 2, 16},
    {"ulonglong2", DType::u64, 2, 16},
    {"dim3", DType::u32, 3},
});

constexpr std::array<std::string_view, 14> kTypeQualifiers{
    "const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "struct",
    "class", "enum",     "typename",     "std",        "register", "__const__",         "constexpr"};
constexpr std::array<std::string_view, 9> kArithmeticTypes{"unsigned", "signed", "char",   "short", "int",
                                                           "long",     "float",  "double", "bool"};

template <class List>
bool is_one_of(std::string_view word, const List& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// A fundamental type with its words in any order: unsigned long long int.
std::optional<DType> arithmetic_type(const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  for (const std::string& word : words)
    if (!is_one_of(word, kArithmeticTypes)) return std::nullopt;
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  const bool is_unsigned = has("unsigned");
  if (has("double")) return DType::f64;
  if (has("float")) return DType::f32;
  if (has("bool")) return DType::boolean;
  if (has("char")) return is_unsigned ? DType::u8 : DType::i8;
  if (has("short")) return is_unsigned ? DType::u16 : DType::i16;
  if (has("long")) return is_unsigned ? DType::u64 : DType::i64;
  return is_unsigned ? DType::u32 : DType::i32;
}

/// The parts of a declaration: the words of its type, the number of * after them, its name.
struct Declarator {
  std::vector<std::string> words;
  std::string name;
  int stars = 0;
  bool is_const = false;  // const before the first *
  bool is_template = false;
  int64_t extent = 1;  // float w[4] as a member
};

Declarator take_apart(const std::string& declaration) {
  Declarator result;
  int depth = 0;
  for (const SourceToken& token : source_tokens(declaration)) {
    if (token.is("=")) break;  // a default value
    if (token.is("<")) result.is_template = true;
    if (token.is("<") || token.is("(")) ++depth;
    if (token.is(">") || token.is(")")) --depth;
    if (depth > 0 || token.is(">") || token.is(")")) continue;
    if (token.is("*") || token.is("[")) ++result.stars;
    if (token.is("[")) ++depth;
    if (token.is("const") && result.stars == 0) result.is_const = true;
    if (token.kind != SourceToken::Kind::name || is_one_of(token.text, kTypeQualifiers)) continue;
    if (result.stars > 0) {
      result.name = token.text;
      continue;
    }
    result.words.emplace_back(token.text);
  }
  // In "float* x" the name follows the star; in "float x" and "float x[4]" it is the last word.
  const bool array = declaration.find('[') != std::string::npos;
  const bool last_is_name = result.words.size() > 1 && !is_one_of(result.words.back(), kArithmeticTypes);
  if (result.name.empty() && (result.stars == 0 || array) && last_is_name) {
    result.name = result.words.back();
    result.words.pop_back();
  }
  return result;
}

/// State of reading one parameter's type.
struct TypeReading {
  const TypeNames& names;
  int members_left = 4096;  // limit on nested members; a kernel's parameters have at most 32,764 bytes
};

/// If a member of a pointer's target is a pointer too, its own target is not read: the children of a tree node are
/// nodes again.
ParameterType read_with_depth(const std::string& declaration, TypeReading& reading, int depth, bool behind_pointer);

/// Members are aligned to their alignment, as C lays out a struct.
void lay_out(ParameterType& structure) {
  size_t at = 0;
  for (const ParameterType& member : structure.members) {
    structure.alignment = std::max(structure.alignment, member.alignment);
    at = (at + member.alignment - 1) / member.alignment * member.alignment + member.size;
  }
  structure.size = (at + structure.alignment - 1) / structure.alignment * structure.alignment;
}

/// The value type that a type name, or its words, denotes.
ParameterType value_type(const std::vector<std::string>& words, TypeReading& reading, int depth, bool behind_pointer) {
  const TypeNames& names = reading.names;
  ParameterType type;
  const auto known = [&](DType element, int components, size_t alignment) {
    type.kind = ParameterType::Kind::scalar;
    type.type = element;
    type.components = components;
    type.size = size_of(element) * static_cast<size_t>(components);
    type.alignment = alignment == 0 ? size_of(element) : alignment;
  };
  if (words.empty() || depth > 8) return type;
  if (const auto element = arithmetic_type(words)) {
    known(*element, 1, 0);
    return type;
  }
  const std::string& name = words.back();
  if (const auto alias = names.aliases.find(name); alias != names.aliases.end() && alias->second != name)
    return read_with_depth(alias->second + " value", reading, depth + 1, behind_pointer);
  for (const KnownType& one : kKnownTypes)
    if (one.name == name) {
      known(one.type, one.components, one.alignment);
      return type;
    }
  if (name == "cudaTextureObject_t" || name == "CUtexObject") type.size = type.alignment = sizeof(uint64_t);
  const auto found = names.structs.find(name);
  if (found == names.structs.end() || found->second.empty()) return type;
  type.kind = ParameterType::Kind::structure;
  for (const std::string& member : found->second) {
    if (--reading.members_left < 0) return {};
    type.members.push_back(read_with_depth(member, reading, depth + 1, behind_pointer));
    if (type.members.back().size == 0) return {};
  }
  lay_out(type);
  return type;
}

/// A struct whose members all have one type counts as that many consecutive elements.
void point_to(ParameterType& type, const ParameterType& target) {
  type.kind = ParameterType::Kind::pointer;
  type.size = type.alignment = sizeof(uint64_t);
  type.element_bytes = target.size;
  type.type = target.type;
  type.components = target.components;
  if (target.kind == ParameterType::Kind::scalar) return;
  const auto& members = target.members;
  const bool uniform = !members.empty() && std::all_of(members.begin(), members.end(), [&](const ParameterType& one) {
    return one.kind == ParameterType::Kind::scalar && one.type == members[0].type;
  });
  type.type = uniform ? members[0].type : DType::u8;
  type.components = target.size == 0 ? 1 : static_cast<int>(target.size / size_of(type.type));
}

ParameterType read_with_depth(const std::string& declaration, TypeReading& reading, int depth, bool behind_pointer) {
  const Declarator declarator = take_apart(declaration);
  const bool is_pointer = declarator.stars > 0;
  ParameterType type;
  if (!declarator.is_template && !(is_pointer && behind_pointer))
    type = value_type(declarator.words, reading, depth, behind_pointer || is_pointer);
  if (declarator.stars > 1) {
    type = {.type = type.kind == ParameterType::Kind::scalar ? type.type : DType::f32};
    type.is_table = true;
    type.size = type.alignment = sizeof(uint64_t);
  } else if (declarator.stars > 0) {
    const ParameterType target = std::move(type);
    type = {};
    if (target.kind == ParameterType::Kind::pointer) {
      type.type = target.type;
      type.is_table = true;
      type.size = type.alignment = sizeof(uint64_t);
    } else {
      point_to(type, target);
    }
    // The target of void* is unknown; most kernels move floats.
    if (target.size == 0 && declarator.words == std::vector<std::string>{"void"}) type.type = DType::f32;
  }
  type.is_const = type.is_const || declarator.is_const;
  type.name = declarator.name;
  type.declared = declaration;
  return type;
}

}  // namespace

ParameterType read_parameter(const std::string& declaration, const TypeNames& names) {
  TypeReading reading{names};
  return read_with_depth(declaration, reading, 0, false);
}

std::string type_text(const ParameterType& type) {
  const std::string name(name_of(type.type));
  return type.components > 1 ? fmt::format("{} × {}", name, type.components) : name;
}

}  // namespace tilescope
