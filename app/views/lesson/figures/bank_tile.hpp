// A corner of a 32 × 32 tile of floats in shared memory: which bank holds which element, and what a column costs to
// read. No drawing.
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope {

/// plain: a row of the tile is 32 words long. padded: 33. swizzled: the column of an element is its own ^ its row.
enum class BankLayout : uint8_t { plain, padded, swizzled };

constexpr uint32_t kTileWords = 32;  // columns of the tile, and banks

/// Word of an element from the start of the tile.
uint32_t word_of(BankLayout layout, uint32_t row, uint32_t column);
inline uint32_t bank_of(BankLayout layout, uint32_t row, uint32_t column) {
  return word_of(layout, row, column) % kTileWords;
}
/// Wavefronts in which `lanes` lanes read a column, lane i its element i.
uint32_t wavefronts_of_column(BankLayout layout, uint32_t column, uint32_t lanes);

}  // namespace tilescope
