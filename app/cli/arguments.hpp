// The small languages of the command line: NAME=VALUE, X[,Y,Z], and --arg SPEC.
//
//     f32:2.5  i32:-7  u64:0x10  bool:true      a scalar; f16 bf16 f32 f64 i8…i64 u8…u64 bool
//     f32:1,2,3,4                               several in a row: float4, dim3, …
//     bytes:00112233  bytes:@file.bin           a struct by value
//     struct:i32:16;f32:0.5;ptr:x               a struct by its members, aligned as in C
//     null                                      a null pointer
//     ptr:NAME  ptr:NAME+OFFSET                 once more a pointer to a buffer that another argument declares
//     buf:TYPE:COUNT:INIT[:NAME]                a buffer; INIT as fill_from() reads it
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// "64", "64,2" or "64,2,1"; each at least 1, and inside the limits of CUDA for "grid" and "block".
Result<Dim3> parse_extent(const std::string& name, const std::string& text);

/// The --arg specs of `exec`, in kernel order: scalars, and buffers which are added to `buffers`. Unnamed buffers are
/// called arg0, arg1, … by their position; a name given twice is an Error.
Result<std::vector<Argument>> parse_arguments(const std::vector<std::string>& specs, std::vector<BufferSpec>& buffers);

/// The bytes of "TYPE:VALUE[,VALUE…]"; `spec` is what messages quote.
Result<ScalarArgument> parse_scalar(const std::string& spec, std::string_view type, std::string_view values);
/// "buf:TYPE:COUNT:INIT[:NAME]"; the name is empty where none is given.
Result<BufferSpec> parse_buffer(const std::string& spec);

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
