// Reads a few facts from PTX as text: its kernels, the sizes of their parameters, and source lines. The simulator has
// its own parser for everything else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compiled_module.hpp"

namespace tilescope {

struct PtxParameter {
  std::string type;  // ".u64"; of an array, that of its elements
  uint32_t bytes = 0;
  bool is_array = false;    // a struct by value: .b8 name[56]
  bool is_pointer = false;  // .ptr says so, or cvta.to.global of its value
};

struct PtxKernel {
  std::string name;
  std::vector<uint32_t> parameter_bytes;
  std::vector<PtxParameter> parameters = {};  // the same parameters
  uint32_t line = 0;                          // of .entry, from 1
};

/// Every .entry with a body, in PTX order, which is the order of definition in the source.
std::vector<PtxKernel> kernels_of_ptx(std::string_view ptx);

/// The same as the kernels of a module: their names and parameters, without resource usage.
std::vector<KernelInfo> kernel_infos_of_ptx(std::string_view ptx);

/// Whether a name in PTX can have this character.
bool is_ptx_name_character(char c);

/// .reqntid or .maxntid of a kernel; zeros: it has neither.
std::array<uint32_t, 3> block_of_ptx(std::string_view ptx, std::string_view kernel);

struct SourcePlace {
  std::string file;
  uint32_t line = 0;  // 0: none
};

/// The source line of a (1-based) line of the PTX: its nearest preceding .loc.
SourcePlace source_place_of_ptx_line(std::string_view ptx, uint32_t ptx_line);

/// In .file, NVRTC prefixes the name of a given text with the current folder. This replaces it by `file`, so that a
/// module does not depend on where the program was started.
std::string with_given_file_name(std::string ptx, const std::string& name, const std::string& file);

}  // namespace tilescope
