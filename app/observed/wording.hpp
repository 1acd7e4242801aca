// Texts for blocks, elements and ranges in views.
#pragma once

#include <cstdint>
#include <string>

#include "app/draw/strings.hpp"
#include "engine/lab.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// "1 element", "98,432 elements".
std::string count_of_elements(const Strings& strings, int64_t count);
/// "1 block", "97 blocks".
std::string count_of_blocks(const Strings& strings, int64_t count);
/// "53"; "(3, 7)" in a grid of several dimensions.
std::string block_number(const Dim3& grid, uint32_t block);
/// "54,880 … 54,911", or one index.
std::string range_text(int64_t first, int64_t last);
/// "M = 1,000, N = 512", in the order in which the lab declares its sizes.
std::string sizes_text(const Strings& strings, const Lab& lab, const Config& config);

}  // namespace tilescope
