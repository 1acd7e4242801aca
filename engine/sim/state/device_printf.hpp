// printf in kernels (CUDA C++ Programming Guide, "Formatted Output"): the host formats what a thread has left in its
// argument buffer. As on the device, at most 32 arguments are taken, and what is no conversion is printed as it stands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// What a launch prints is kept up to this size: that of the buffer of a GPU (cudaLimitPrintfFifoSize).
constexpr uint64_t kMostOutput = uint64_t{1} << 20;

struct PrintfResult {
  std::string text;
  int32_t arguments = 0;                 // what printf returns
  std::optional<uint64_t> bad_string{};  // the address of a %s that is no string
};

/// The bytes of the argument buffer from an offset on; 0 where there are none.
using ArgumentReader = std::function<uint64_t(uint64_t offset, uint32_t bytes)>;
/// The string at an address, of at most so many characters; nothing if the memory ends before it does.
using StringReader = std::function<std::optional<std::string>(uint64_t address, uint64_t most)>;

PrintfResult format_printf(std::string_view format, const ArgumentReader& read_argument,
                           const StringReader& read_string);

}  // namespace tilescope
