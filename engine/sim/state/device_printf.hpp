// printf in kernels (CUDA C++ Programming Guide, "Formatted Output"): the host formats the argument buffer that a
// thread has filled. As on the device, at most 32 arguments are used, and text that is not a conversion is printed
// unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// Limit on the output kept from a launch: the size of a GPU's buffer (cudaLimitPrintfFifoSize).
constexpr uint64_t kMostOutput = uint64_t{1} << 20;

struct PrintfResult {
  std::string text;
  int32_t arguments = 0;                 // the return value of printf
  std::optional<uint64_t> bad_string{};  // the address of a %s argument that is not a string
};

/// The bytes of the argument buffer from an offset on; 0 past its end.
using ArgumentReader = std::function<uint64_t(uint64_t offset, uint32_t bytes)>;
/// The string at an address, at most `most` characters; nothing if the memory ends before the string does.
using StringReader = std::function<std::optional<std::string>(uint64_t address, uint64_t most)>;

PrintfResult format_printf(std::string_view format, const ArgumentReader& read_argument,
                           const StringReader& read_string);

}  // namespace tilescope
