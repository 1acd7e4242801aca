// The code with which a host program makes its buffers: the generator of engine/run/inputs.cpp, written out plainly, so
// that both give the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan.hpp"

namespace tilescope {

/// "float", "__half", "uint64_t": the type of an element in CUDA C++.
std::string cuda_type(DType type);

/// The functions in namespace host that fill these buffers. They need <cmath>, <cstdint>, <cstring> and <vector>, and
/// for elements of 16 bits the header of their type.
std::string generator_code(const std::vector<BufferSpec>& buffers);

/// The statements that fill the vector `name`: "host::fill_normal(h_a, host::stream(seed, 0));". Empty for zeros.
/// `index` is that of the buffer, `indent` begins each line.
std::string fill_code(const BufferSpec& spec, const std::string& name, size_t index, const std::string& indent);

}  // namespace tilescope
