// The few facts that are read from PTX as text: its kernels, the sizes of their parameters, and source lines. The
// simulator has a parser of its own for everything else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct PtxKernel {
  std::string name;
  std::vector<uint32_t> parameter_bytes;
};

/// Every .entry with a body, in the order of the PTX, which is the order of definition in the source.
std::vector<PtxKernel> kernels_of_ptx(std::string_view ptx);

struct SourcePlace {
  std::string file;
  uint32_t line = 0;  // 0: none
};

/// The source line in force at a (1-based) line of the PTX: its nearest preceding .loc.
SourcePlace source_place_of_ptx_line(std::string_view ptx, uint32_t ptx_line);

/// NVRTC writes the name of a text that it was given into .file with the current folder in front. This puts `file`
/// there, so that a module does not depend on where the program was started.
std::string with_given_file_name(std::string ptx, const std::string& name, const std::string& file);

}  // namespace tilescope
