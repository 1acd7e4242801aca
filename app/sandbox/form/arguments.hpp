// The small languages of the command line: NAME=VALUE, X[,Y,Z], and --arg SPEC.
//
//     f32:2.5  i32:-7  u64:0x10  bool:true      a scalar; f16 bf16 f32 f64 i8…i64 u8…u64 bool
//     f32:1,2,3,4                               several in sequence: float4, dim3, …
//     bytes:00112233  bytes:@file.bin           a struct by value
//     struct:i32:16;f32:0.5;ptr:x               a struct by its members, aligned as in C
//     null                                      a null pointer
//     ptr:NAME  ptr:NAME+OFFSET                 another pointer to a buffer that a different argument declares
//     buf:TYPE:COUNT:INIT[:NAME]                a buffer; INIT as fill_from() reads it
//     tex:TYPE:WIDTHxHEIGHT:INIT[:OPTION…]      a texture object; see parse_texture()
//     desc:TYPE:SHAPE:INIT:block=32x64[:OPTION…] a TensorDescriptor of a Triton kernel; see parse_descriptor()
//     ptrs:buf:f32:16:normal;ptr:x              an array of pointers, such as float**; 8*buf:… stands for eight of them
//     raw:buf:…  raw:ptr:…                      the kernel reinterprets the bytes: any element type is accepted
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

/// A lookup that knows no names.
std::optional<Checked<long double>> no_names(std::string_view name);

/// Why an expression on the command line has no value, in English.
std::string problem_text(const Problem& problem);

/// A whole number, or an expression for one, in [low, high]; messages refer to it as `option`.
Result<int64_t> parse_whole_expression(const std::string& option, const std::string& text, int64_t low, int64_t high,
                                       const NameLookup& names);

/// "64", "64,2", "64x2" or "ceil(n/256),2,1"; each at least 1, and within CUDA's limits for "grid" and "block".
Result<Dim3> parse_extent(const std::string& name, const std::string& text, const NameLookup& names = no_names);

/// "sm_90", "compute_90" and "90" → "compute_90"; 90a is kept as a separate target. Empty: the default.
Result<std::string> parse_architecture(const std::string& text);

/// Splits "PARAMETER=SPEC"; the name is empty if there is none.
Assignment split_argument(const std::string& text);

/// The parsed --arg and --symbol options.
struct ParsedArguments {
  std::vector<Argument> arguments;
  std::vector<std::string> names;  // parallel: the parameter of each; "": the next one
  std::vector<Preset> presets;     // contents of arrays of pointers
  std::vector<VariableInput> variables;
  std::vector<TextureSpec> textures;  // for tex: arguments
};

/// Parses `exec`'s --arg specs and its --symbol NAME=SPEC: scalars, and buffers, which are added to `buffers`. A buffer
/// without a name is named after its parameter, by the default name of its position, or else arg0, arg1, …; a name
/// given twice is an Error. The buf: of a symbol fills the variable itself, and is not added to `buffers`.
Result<ParsedArguments> parse_arguments(const std::vector<std::string>& specs, const std::vector<std::string>& symbols,
                                        std::vector<BufferSpec>& buffers, const NameLookup& names,
                                        std::span<const std::string> usual_names = {});
/// The arguments alone.
Result<std::vector<Argument>> parse_arguments(const std::vector<std::string>& specs, std::vector<BufferSpec>& buffers);

/// The bytes of "TYPE:VALUE[,VALUE…]"; messages quote `spec`.
Result<ScalarArgument> parse_scalar(const std::string& spec, std::string_view type, std::string_view values,
                                    const NameLookup& names = no_names);
/// "buf:TYPE:COUNT:INIT[:NAME]"; the name is empty if none is given.
Result<BufferSpec> parse_buffer(const std::string& spec, const NameLookup& names = no_names);
/// The type, the count and the initial contents of a buffer, each as in "buf:…".
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

/// "desc:TYPE:SHAPE:INIT:block=BLOCK[:OPTION…]": a buffer without a name, and the tensor over it, which Triton's
/// TensorDescriptor describes. SHAPE and BLOCK are outermost first. Options: strides=S,…,1 in elements, which else are
/// those of contiguous rows, and padding=nan.
struct ParsedDescriptor {
  BufferSpec buffer;
  TensorDescriptor tensor;
};
Result<ParsedDescriptor> parse_descriptor(const std::string& spec, const NameLookup& names = no_names);

/// A number, if it is the whole text.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// At most `most` parts; the last one keeps the remaining separators.
std::vector<std::string> split(std::string_view text, char separator, size_t most);

}  // namespace tilescope
