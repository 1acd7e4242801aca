// What the tile view says in words, written from the result.
#pragma once

#include <string>

#include "app/panels/tiles_layout.hpp"
#include "app/strings.hpp"

namespace tilescope {

struct ViewSentence {
  std::string finding, reason, quiet;
  std::string warning;  // in place of `quiet`: what the checks found
};
/// "97 blocks" · "write 98,432 elements; each walks 4 tiles of 256." · "35 of 132 SMs get no block."
ViewSentence tiles_sentence(const Strings& strings, const RunResult& result, const TileShape& shape);

/// "1 element", "98,432 elements".
std::string count_of_elements(const Strings& strings, int64_t count);
/// "1 block", "97 blocks".
std::string count_of_blocks(const Strings& strings, int64_t count);
/// "53"; "(3, 7)" in a grid of several dimensions.
std::string block_number(const Dim3& grid, uint32_t block);
/// "54,880 … 54,911", or one index.
std::string range_text(int64_t first, int64_t last);
/// The label beside the hatched places.
std::string tail_text(const Strings& strings, const Tail& tail);

}  // namespace tilescope
