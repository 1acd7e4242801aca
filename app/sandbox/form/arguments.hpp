// The small languages of the command line: NAME=VALUE, X[,Y,Z], and --arg SPEC.
//
//     f32:2.5  i32:-7  u64:0x10  bool:true      a scalar; f16 bf16 f32 f64 i8…i64 u8…u64 bool
//     f32:1,2,3,4                               several in a row: float4, dim3, …
//     bytes:00112233  bytes:@file.bin           a struct by value
//     struct:i32:16;f32:0.5;ptr:x               a struct by its members, aligned as in C
//     null                                      a null pointer
//     ptr:NAME  ptr:NAME+OFFSET                 once more a pointer to a buffer that another argument declares
//     buf:TYPE:COUNT:INIT[:NAME]                a buffer; INIT as fill_from() reads it
//     tex:TYPE:WIDTHxHEIGHT:INIT[:OPTION…]      a texture object; see parse_texture()
//     ptrs:buf:f32:16:normal;ptr:x              an array of pointers, such as float**; 8*buf:… stands for eight of them
//     raw:buf:…  raw:ptr:…                      the kernel reinterprets the bytes: any type of elements is accepted
//     PARAMETER=SPEC                            for the parameter of that name; the others follow in kernel order
//
// Numbers, counts and extents may be expressions (app/sandbox/reading/expression.hpp) over the names that `names`
// knows.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/sandbox/reading/expression.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

struct Assignment {
  std::string name, value;
};
/// "BLOCK=256". A missing '=' is an Error.
Result<Assignment> parse_assignment(const std::string& text);

/// A whole number, in decimal, or a power as "2^20".
Result<int64_t> parse_integer(const std::string& name, const std::string& text);

/// Knows no name.
std::optional<Checked<long double>> no_names(std::string_view name);

/// An expression on the command line that has no value: why, in English.
std::string problem_text(const Problem& problem);

/// A whole number, or an expression for one, in [low, high]; `option` is what messages name.
Result<int64_t> parse_whole_expression(const std::string& option, const std::string& text, int64_t low, int64_t high,
                                       const NameLookup& names);

/// "64", "64,2", "64x2" or "ceil(n/256),2,1"; each at least 1, and inside the limits of CUDA for "grid" and "block".
Result<Dim3> parse_extent(const std::string& name, const std::string& text, const NameLookup& names = no_names);

/// "PARAMETER=SPEC" → both; the name is empty where there is none.
Assignment split_argument(const std::string& text);

/// What --arg and --symbol say.
struct ParsedArguments {
  std::vector<Argument> arguments;
  std::vector<std::string> names;  // parallel: the parameter that each is for; "": the next one
  std::vector<Preset> presets;     // contents of arrays of pointers
  std::vector<VariableInput> variables;
  std::vector<TextureSpec> textures;  // of tex: arguments
};

/// The --arg specs of `exec` and its --symbol NAME=SPEC: scalars, and buffers which are added to `buffers`. A buffer
/// without a name is called by its parameter's, by the usual name of its position, or else arg0, arg1, …; a name given
/// twice is an Error. The buf: of a symbol fills the variable itself, and is none of `buffers`.
Result<ParsedArguments> parse_arguments(const std::vector<std::string>& specs, const std::vector<std::string>& symbols,
                                        std::vector<BufferSpec>& buffers, const NameLookup& names,
                                        std::span<const std::string> usual_names = {});
/// The arguments alone.
Result<std::vector<Argument>> parse_arguments(const std::vector<std::string>& specs, std::vector<BufferSpec>& buffers);

/// The bytes of "TYPE:VALUE[,VALUE…]"; `spec` is what messages quote.
Result<ScalarArgument> parse_scalar(const std::string& spec, std::string_view type, std::string_view values,
                                    const NameLookup& names = no_names);
/// "buf:TYPE:COUNT:INIT[:NAME]"; the name is empty where none is given.
Result<BufferSpec> parse_buffer(const std::string& spec, const NameLookup& names = no_names);
/// The type, the count and the initial content of a buffer, each as "buf:…" has it.
Result<BufferSpec> parse_contents(const std::string& spec, const std::string& type, const std::string& count,
                                  const std::string& init, const NameLookup& names);

/// "tex:TYPE[x2|x4]:WIDTH[xHEIGHT[xDEPTH]]:INIT[:OPTION…]": the texels, as a buffer without a name whose extents are
/// depth, height, width and channels, and how they are read. Options: point linear clamp wrap mirror border normalized
/// float layered linear-memory.
struct ParsedTexture {
  BufferSpec texels;
  TextureSpec texture;  // its `buffer` is not set
};
Result<ParsedTexture> parse_texture(const std::string& spec, const NameLookup& names = no_names);

/// A number that is all of the text.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// At most `most` pieces; the last one keeps what separators are left.
std::vector<std::string> split(std::string_view text, char separator, size_t most);

}  // namespace tilescope
